import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Index } from '@upstash/vector'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createStaticCollections } from '../../src/adapters/static-collections.ts'
import { encodeLexicon } from '../../src/core/text/lexicon.ts'
import { scaledFor } from '../../src/core/scale/index.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { createUpstashRetriever } from '../../packages/upstash/src/index.ts'
import { embeddedIndex } from '../fixtures/embedded-index.ts'
import { buildLexicon } from '../fixtures/english.ts'
import { type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'
import { run } from './run.ts'

const SUBJECTS = ['paint', 'brushes', 'ladders', 'windows', 'doors', 'floors', 'tiles', 'pipes', 'wires', 'lamps']
const passages = Array.from({ length: 60 }, (_, at) => {
  const [subject, other] = [SUBJECTS[at % 10]!, SUBJECTS[(at * 7 + 3) % 10]!]
  return `Part ${at} of the ${subject} stands beside the old ${other}. It is cleaned every ${at} weeks with warm soap.`
})

let folder: string
let upstream: ScriptedUpstream
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-scale-'))
})
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(async () => {
  const index = embeddedIndex()
  upstream = await startUpstream(async (response, request, body) => {
    const answer = await index(`http://x${request.url}`, { body })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
})
afterEach(() => upstream.stop())

const env = () => ({ UPSTASH_VECTOR_REST_URL: upstream.url, UPSTASH_VECTOR_REST_TOKEN: 'secret' })

async function filled(texts: readonly string[]): Promise<void> {
  const client = new Index({ url: upstream.url, token: 'secret', enableTelemetry: false })
  const rows = texts.map((data, at) => ({
    id: `r${at}`,
    data,
    metadata: { title: 'House', documentId: `d${at % 12}` },
  }))
  await client.upsert(rows)
}

describe('rag-gate scale', () => {
  it('learns a scale from the rows of an index, which its gate then uses, with age and origin', async () => {
    await filled(passages)
    const [out, lexicon] = [join(folder, 'docs.scale.json'), join(folder, 'docs.lexicon.txt')]
    // Editors of Windows put a byte order mark first.
    writeFileSync(lexicon, `\uFEFF${encodeLexicon(buildLexicon(passages))}\n`)
    const more = ['--lexicon', lexicon, '--corpus-version', '3', '--windows', '30']
    expect(await run(['scale', '--out', out, ...more], { env: env() })).toEqual({
      code: 0,
      out: `${out}: learned from 30 windows of 60 passages, for ${balanced().id}\n`,
      notes: '',
    })
    const scale = JSON.parse(readFileSync(out, 'utf8')) as Record<string, unknown>
    expect(scale).toMatchObject({ kind: 'scale', origin: 'documents', corpusVersion: 3, chunkCount: 60, windows: 30 })
    // Printed it is the same, but for the time.
    const printed = await run(['scale', ...more], { env: env() })
    expect({ ...JSON.parse(printed.out), learnedAtMs: 0 }).toEqual({ ...scale, learnedAtMs: 0 })

    const judged = await gateQuestion(
      {
        retriever: createUpstashRetriever({ url: upstream.url, token: 'secret' }),
        collections: createStaticCollections([
          { id: 'default', scale, corpusVersion: 3, lexicon: readFileSync(lexicon, 'utf8').slice(1) },
        ]),
        clock: { nowMs: () => 0 },
      },
      {
        policy: () => balanced(),
        mode: 'enforce',
        rules: [],
        retrieval: { topK: 10, timeoutMs: 1000 },
        context: { maxLength: 12_000 },
      },
      {
        question: 'who won the regatta?',
        collection: 'default',
        principal: { tenant: 'default', id: 'someone', scopes: [] },
        audience: 'operator',
      },
    )
    const { middle, deviation, learnedAtMs } = scale
    expect(judged).toMatchObject({
      kind: 'judged',
      decision: { verdict: 'refuse', signals: { scale: { middle, deviation, learnedAtMs, corpusVersion: 3 } } },
    })
  })

  it('is for the confidence of the given policy, whatever its thresholds are', async () => {
    await filled(passages)
    const policy = join(folder, 'policy.json')
    const { confidence, gates, bands, cacheLifetimes, language, preset, name } = balanced({ refuseBelow: 0.6 })
    writeFileSync(
      policy,
      JSON.stringify({
        name,
        confidence: confidence.settings,
        gates: gates.map(({ settings }) => settings),
        bands,
        cacheLifetimes,
        language: language!.name,
        preset: preset!.name,
      }),
    )
    const { out } = await run(['scale', '--policy', policy, '--windows', '30'], { env: env() })
    expect(JSON.parse(out)).toMatchObject({ confidence: scaledFor(balanced()), windows: 30 })
  })

  it('fails over too few passages, and over an index that it cannot search', async () => {
    await filled(passages.slice(0, 10))
    const few = await run(['scale'], { env: env() })
    expect([few.code, few.notes]).toEqual([1, expect.stringContaining('10 passages are too few for a scale')])
    await filled(Array.from({ length: 30 }, (_, at) => `Part ${at}`))
    const short = await run(['scale'], { env: env() })
    expect([short.code, short.notes]).toEqual([1, expect.stringContaining('or too short (windows of five words: 0)')])
    upstream.answerWith((response) => response.writeHead(401).end('{"error":"Unauthorized"}'))
    const shut = await run(['scale'], { env: env() })
    expect([shut.code, shut.notes]).toEqual([1, expect.stringContaining('status 401')])
  })

  it.each([
    [['word'], 'scale takes no words'],
    [['--windows', '0'], '--windows must be a whole number from 1 up'],
    [['--policy', 'two-tier'], 'two-tier uses no scale; balanced does'],
    [['--policy', 'nowhere.json'], 'is no file that can be read'],
    [['--lexicon', 'nowhere.txt'], 'nowhere.txt cannot be read'],
    [['--embedder', 'https://x/v1'], '--embedder, --embedding-model and --dimension go together'],
    [['--embedder', 'https://x/v1', '--embedding-model', 'm', '--dimension', '8'], 'needs EMBEDDING_API_KEY'],
  ])('%j is a wrong call: %s', async (args, why) => {
    const { code, notes } = await run(['scale', ...args], { env: env() })
    expect([code > 0, notes]).toEqual([true, expect.stringContaining(why)])
  })
})
