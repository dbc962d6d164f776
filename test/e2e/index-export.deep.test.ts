/** Export and import as a user runs them, between indexes that wrangler serves. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Index } from '@upstash/vector'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyPort, ROOT } from '../../scripts/local-gate.ts'
import { type LocalIndex, startLocalIndex } from '../../scripts/local-index.ts'

const INDEXES = {
  source: { indexType: 'HYBRID', dimension: 3 },
  target: { indexType: 'HYBRID', dimension: 3 },
  dense: { indexType: 'DENSE', dimension: 3 },
  texts: { indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' },
}
const home = mkdtempSync(join(tmpdir(), 'hono-rag-gate-export-'))
const pathOf = (name: string) => join(home, name)
let local: LocalIndex

const addressOf = (name: string) => ({ url: `${local.url}/indexes/${name}`, token: local.tokens.get(name)! })
const clientOf = (name: string) => new Index({ ...addressOf(name), enableTelemetry: false })

/** Runs one of the two scripts. */
function run(script: 'export' | 'import', options: Readonly<Record<string, string>>, ...flags: string[]) {
  return ended(start(script, options, ...flags))
}

function start(script: 'export' | 'import', options: Readonly<Record<string, string>>, ...flags: string[]) {
  const args = [...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]), ...flags]
  return spawn(process.execPath, [join(ROOT, 'scripts', `index-${script}.ts`), ...args], { env: {} })
}

function ended(child: ChildProcessWithoutNullStreams) {
  let output = ''
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, output }))
  })
}

/** Passes requests on, and answers 400 from the n-th on. */
async function breakingAfter(requests: number, target: string): Promise<{ url: string; server: Server }> {
  let seen = 0
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      seen += 1
      if (seen > requests) {
        response.writeHead(400).end('{"error":"broken off","status":400}')
        return
      }
      const headers = { authorization: request.headers.authorization ?? '' }
      void fetch(`${target}${request.url}`, { method: 'POST', headers, body: Buffer.concat(pieces) })
        .then((answer) => answer.text())
        .then((text) => response.end(text))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

const ROWS = Array.from({ length: 25 }, (_, at) => ({
  id: `id-${at}`,
  vector: [at / 7, 0.1, -1],
  sparseVector: { indices: [at, -at - 1], values: [0.1, 0.25] },
  ...(at % 2 === 0 && { metadata: { at, text: 'größer "als"\n\u2028 und \u2029' } }),
  ...(at % 3 === 0 && { data: `text\u2028${at}` }),
}))

const MANY = 100_000

async function killedHalfway(script: 'export' | 'import', options: Readonly<Record<string, string>>) {
  const child = start(script, options)
  child.stderr.on('data', (piece: Buffer) => {
    if (piece.toString().includes(`${MANY / 2} `)) child.kill('SIGKILL')
  })
  expect((await ended(child)).code).toBeNull()
}

beforeAll(async () => {
  local = await startLocalIndex({ stateDirectory: join(home, 'state'), indexes: INDEXES, port: anyPort() })
  const source = clientOf('source')
  await source.upsert(ROWS)
  await source.namespace('tenant a').upsert(ROWS.slice(0, 7))
  // Its requests name "a/b", as it is.
  await source.namespace('a/b').upsert(ROWS.slice(5, 9))
})

afterAll(async () => {
  await local.stop()
  rmSync(home, { recursive: true, force: true })
})

describe('an export', () => {
  test('has a line for each vector, and is the same after an import and another export', async () => {
    const { code, output } = await run('export', { ...addressOf('source'), out: pathOf('all.jsonl'), page: '10' })
    expect(output).toContain('36 vectors are in')
    expect(code).toBe(0)
    const text = readFileSync(pathOf('all.jsonl'), 'utf8')
    const lines = text.trimEnd().split('\n')
    expect(lines).toHaveLength(36)
    expect(JSON.parse(lines[0]!)).toEqual({ namespace: '', ...ROWS[0] })
    expect(existsSync(pathOf('all.jsonl.progress'))).toBe(false)

    const imported = await run('import', { ...addressOf('target'), in: pathOf('all.jsonl'), batch: '10' })
    expect(imported.output).toContain('36 lines of')
    expect(imported.code).toBe(0)
    // It waited for the lag of the index.
    expect(await clientOf('target').info()).toMatchObject({ vectorCount: 36, pendingVectorCount: 0 })
    await run('export', { ...addressOf('target'), out: pathOf('again.jsonl') })
    expect(readFileSync(pathOf('again.jsonl'), 'utf8')).toBe(text)
    const query = { vector: [1, 0, 0], sparseVector: { indices: [3], values: [1] }, topK: 9 }
    expect(await clientOf('target').query(query)).toEqual(await clientOf('source').query(query))
  })

  test('of one namespace contains no other', async () => {
    await run('export', { ...addressOf('source'), out: pathOf('one.jsonl'), namespace: 'a/b' })
    const lines = readFileSync(pathOf('one.jsonl'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { namespace: string }).namespace)).toEqual(Array(4).fill('a/b'))
  })

  test('that was interrupted continues and is complete, even after half a written page', async () => {
    const { url, server } = await breakingAfter(3, local.url)
    const source = addressOf('source')
    const through = { token: source.token, url: `${url}/indexes/source`, out: pathOf('broken.jsonl'), page: '5' }
    const broken = await run('export', through)
    expect(broken).toMatchObject({ code: 1, output: expect.stringContaining('broken off') })
    await new Promise((resolve) => server.close(resolve))
    expect(await run('export', { ...through, url: source.url })).toMatchObject({ code: 1 })
    // Nor does it continue with lines of another format, or as an import.
    const was = readFileSync(pathOf('broken.jsonl'), 'utf8')
    expect(await run('export', { ...through, format: 'vectorize' })).toMatchObject({ code: 1 })
    const { out, page: _page, ...address } = through
    expect(await run('import', { ...address, in: out })).toMatchObject({ code: 1 })
    truncateSync(out, was.length - 1)
    expect(await run('export', through)).toMatchObject({ code: 1, output: expect.stringContaining('shorter') })
    writeFileSync(out, was)
    const progress = JSON.parse(readFileSync(pathOf('broken.jsonl.progress'), 'utf8')) as { bytes: number }
    expect(progress.bytes).toBeGreaterThan(0)
    writeFileSync(pathOf('broken.jsonl.progress'), JSON.stringify({ ...progress, url: source.url }))
    writeFileSync(pathOf('broken.jsonl'), `${readFileSync(pathOf('broken.jsonl'), 'utf8')}{"half`)
    expect(await run('export', { ...through, url: source.url })).toMatchObject({ code: 0 })
    await run('export', { ...source, out: pathOf('whole.jsonl') })
    expect(readFileSync(pathOf('broken.jsonl'), 'utf8')).toBe(readFileSync(pathOf('whole.jsonl'), 'utf8'))
  })

  test('of 100,000 rows, killed and run again, is the same after an import that was killed and run again', async () => {
    for (let first = 0; first < MANY; first += 1000) {
      const rows = Array.from({ length: 1000 }, (_, at) => ({
        ...ROWS[at % ROWS.length]!,
        id: `row\u2028${first + at}`,
      }))
      await clientOf('source').namespace('many').upsert(rows)
    }
    const options = { ...addressOf('source'), namespace: 'many', out: pathOf('many.jsonl') }
    await killedHalfway('export', options)
    expect(await run('export', options)).toMatchObject({ code: 0 })
    const text = readFileSync(options.out, 'utf8')
    expect(text.split('\n')).toHaveLength(MANY + 1)

    const imported = { ...addressOf('target'), in: options.out }
    await killedHalfway('import', imported)
    expect(await run('import', imported)).toMatchObject({ code: 0 })
    await run('export', { ...options, ...addressOf('target'), out: pathOf('many-again.jsonl') })
    expect(readFileSync(pathOf('many-again.jsonl'), 'utf8') === text).toBe(true)
  }, 900_000)

  test('for Vectorize has its format, and keeps large numbers', async () => {
    const at = '9007199254740993'
    const { url, token } = addressOf('dense')
    await clientOf('dense')
      .namespace('v')
      .upsert({ id: 'a', vector: [1, 2, 3], metadata: { at: 1 }, data: 'red' })
    const body = `{"id":"b","vector":[1,2,3],"metadata":{"at":${at}}}`
    await fetch(`${url}/upsert/v`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body })
    const options = { url, token, namespace: 'v' }
    await run('export', { ...options, out: pathOf('vectorize.jsonl'), format: 'vectorize' })
    expect(readFileSync(pathOf('vectorize.jsonl'), 'utf8')).toBe(
      `{"id":"a","values":[1,2,3],"namespace":"v","metadata":{"data":"red","at":1}}\n` +
        `{"id":"b","values":[1,2,3],"namespace":"v","metadata":{"at":${at}}}\n`,
    )
    await run('export', { ...options, out: pathOf('large.jsonl') })
    expect(readFileSync(pathOf('large.jsonl'), 'utf8')).toContain(`"at":${at}}`)
    const sparse = { ...addressOf('source'), out: pathOf('no.jsonl'), format: 'nonsense' }
    expect(await run('export', sparse)).toMatchObject({ code: 2 })
  })

  test('does not overwrite a file', async () => {
    writeFileSync(pathOf('there.jsonl'), 'mine')
    expect(await run('export', { ...addressOf('source'), out: pathOf('there.jsonl') })).toMatchObject({ code: 1 })
    expect(readFileSync(pathOf('there.jsonl'), 'utf8')).toBe('mine')
  })
})

describe('an import', () => {
  const line = (row: object) => `${JSON.stringify({ namespace: 'n', ...row })}\n`

  test('that was interrupted continues after the lines already written', async () => {
    const text = Array.from({ length: 6 }, (_, at) => line({ id: `r${at}`, vector: [at, 1, 1] })).join('')
    writeFileSync(pathOf('six.jsonl'), `${text}not json\n`)
    const options = { ...addressOf('dense'), in: pathOf('six.jsonl'), batch: '2' }
    expect(await run('import', options)).toMatchObject({
      code: 1,
      output: expect.stringContaining('Line 7 is not JSON'),
    })
    expect(JSON.parse(readFileSync(pathOf('six.jsonl.progress'), 'utf8'))).toMatchObject({ lines: 4 })
    await clientOf('dense').namespace('n').reset()
    expect(await run('import', { ...options, as: 'data' })).toMatchObject({ code: 1 })
    const { in: out, batch: _batch, ...address } = options
    expect(await run('export', { ...address, out })).toMatchObject({ code: 1 })
    expect(readFileSync(out, 'utf8')).toContain('not json')
    truncateSync(pathOf('six.jsonl'), Buffer.byteLength(text))
    expect(await run('import', options)).toMatchObject({ code: 0 })
    const { vectors } = await clientOf('dense').namespace('n').range({ cursor: 0, limit: 9 })
    expect(vectors.map(({ id }) => id)).toEqual(['r4', 'r5'])
  })

  test('as texts is embedded by the target index', async () => {
    writeFileSync(
      pathOf('texts.jsonl'),
      line({ id: 'a', vector: [1, 2, 3], data: 'The bridge is red', metadata: { b: 1 } }),
    )
    const options = { ...addressOf('texts'), in: pathOf('texts.jsonl') }
    expect(await run('import', options)).toMatchObject({
      code: 1,
      output: expect.stringContaining('Invalid vector dimension'),
    })
    expect(await run('import', { ...options, as: 'data' })).toMatchObject({ code: 0 })
    const query = { data: 'The bridge is red', topK: 1, includeMetadata: true }
    expect(await clientOf('texts').namespace('n').query(query)).toEqual([{ id: 'a', score: 1, metadata: { b: 1 } }])
  })

  test('reports the number of a line that lacks a vector', async () => {
    writeFileSync(pathOf('bad.jsonl'), line({ vector: [1, 2, 3] }))
    const options = { ...addressOf('dense'), in: pathOf('bad.jsonl') }
    expect(await run('import', options)).toMatchObject({ code: 1, output: expect.stringContaining('Line 1 lacks') })
    expect(await run('import', { ...options, as: 'data' })).toMatchObject({ code: 1 })
  })
})

test.each([
  ['export', {}],
  ['export', { out: 'x', url: 'http://127.0.0.1:1' }],
  ['export', { out: 'x', url: 'not a url', token: 't' }],
  ['export', { out: 'x', url: 'http://127.0.0.1:1', token: 't', page: '1001' }],
  ['import', { in: 'x', url: 'http://127.0.0.1:1', token: 't', as: 'text' }],
  ['import', { in: 'x', url: 'http://127.0.0.1:1', token: 't', wrong: '1' }],
] as const)('%s with %j prints its usage and exits with 2', async (script, options) => {
  expect(await run(script, options)).toMatchObject({
    code: 2,
    output: expect.stringContaining('Usage: npm run index:'),
  })
})
