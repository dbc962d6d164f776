/** Questions in everyday words, whose passage only an encoder of meaning finds: simulated, over real adapters. */
import { Index } from '@upstash/vector'
import { describe, expect, test } from 'vitest'
import { createUpstashTransport } from '../../packages/upstash/src/transport.ts'
import { createUpstashRetriever } from '../../packages/upstash/src/index.ts'
import { createVectorizeRetriever } from '../../packages/vectorize/src/index.ts'
import { learnScale } from '../../packages/ingest/src/learn-scale.ts'
import { createStaticCollections } from '../../src/adapters/static-collections.ts'
import { seededRandom } from '../../packages/calibration/src/scale/seeded-random.ts'
import { judge } from '../../src/core/policy/judge.ts'
import type { CollectionScale } from '../../src/core/scale/index.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import type { Retriever } from '../../src/ports/retriever.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { DEEP } from '../deep-run.ts'
import { embeddedIndex } from '../fixtures/embedded-index.ts'
import { EVERYDAY } from '../fixtures/everyday-questions.ts'
import { fakeVectorize } from '../fixtures/vectorize.ts'

const DIMENSION = 64
const WORDS =
  `keys gates answers passages tenants policies questions scores documents indexes mornings tables rivers ladders
  engines windows gardens letters bridges numbers clocks markets stations forests opened closed counted kept sold painted
  measured carried`.split(/\s+/)

type Vector = readonly number[]
const unit = (vector: Vector): Vector => vector.map((value) => value / Math.hypot(...vector))
const mixed = (...parts: readonly (readonly [number, Vector])[]): Vector =>
  unit(parts[0]![1].map((_, at) => parts.reduce((sum, [weight, vector]) => sum + weight * vector[at]!, 0)))
const random = seededRandom(11)
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
const anywhere = (): Vector => unit(Array.from({ length: DIMENSION }, normal))

const shared = anywhere()
const subjects = Array.from({ length: 12 }, anywhere)
const passages = Array.from({ length: 72 }, (_, at) => ({
  id: `p${at}`,
  documentId: `d${at % 12}`,
  title: 'Handbook',
  text: `The ${Array.from({ length: 30 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')}.`,
  vector: mixed([0.6, shared], [0.4, subjects[at % 12]!], [0.7, anywhere()]),
}))
const ANSWERED = EVERYDAY.slice(0, 10)
const FOREIGN = EVERYDAY.slice(10)

/** Near the passage that answers it, or that it is a window of; as near to all others as anything is. */
function vectorOf(text: string): Vector {
  const at = ANSWERED.indexOf(text)
  const own = at === -1 ? passages.find((passage) => passage.text.includes(text)) : passages[7 * at]
  return own === undefined ? mixed([0.5, shared], [0.85, anywhere()]) : mixed([1, own.vector], [0.65, anywhere()])
}
const asked = new Map<string, Vector>()
const embedder: Embedder = {
  model: 'meaning-64',
  dimension: DIMENSION,
  embed: async ({ texts }) =>
    texts.map((text) => {
      if (!asked.has(text)) asked.set(text, vectorOf(text))
      return [...asked.get(text)!]
    }),
}

async function overUpstash(): Promise<Retriever> {
  const where = { url: 'https://index.invalid', fetch: embeddedIndex({ indexType: 'DENSE', dimension: DIMENSION }) }
  const client = new Index(createUpstashTransport({ ...where, timeoutMs: 1000, maxResponseBytes: 1e6 })())
  await client.upsert(
    passages.map(({ id, vector, text, title, documentId }) => ({
      id,
      vector: [...vector],
      metadata: { text, title, documentId },
    })),
  )
  return createUpstashRetriever({ ...where, embedder, fields: { documentId: 'documentId' } })
}

async function overVectorize(): Promise<Retriever> {
  const index = fakeVectorize({ dimensions: DIMENSION })
  index.hold(
    passages.map(({ id, vector, text, title, documentId }) => ({
      id,
      values: vector,
      metadata: { text, title, documentId },
    })),
  )
  return createVectorizeRetriever({ index, embedder, metric: 'cosine', fields: { documentId: 'documentId' } })
}

const policy = balanced()
const clock = { nowMs: () => 1000 }
const learn = (retriever: Retriever, more: object = {}) => learnScale({ retriever, policy, passages, clock, ...more })

/** The questions that are answered, with the decisions. */
async function ask(retriever: Retriever, questions: readonly string[], scale?: CollectionScale) {
  const ports = {
    retriever,
    collections: createStaticCollections([{ id: 'default', ...(scale && { scale }) }]),
    clock,
  }
  const settings = {
    policy: () => policy,
    mode: 'enforce',
    rules: [],
    retrieval: { topK: 10, timeoutMs: 1000 },
    context: { maxLength: 12_000 },
  } as const
  const decisions = []
  for (const question of questions) {
    const result = await gateQuestion(ports, settings, {
      question,
      collection: 'default',
      principal: { tenant: 'default', id: 'someone', scopes: [] },
      audience: 'operator',
    })
    if (result.kind !== 'judged') throw new Error('There is no cache here')
    decisions.push(result.decision)
  }
  return { decisions, answered: decisions.filter(({ verdict }) => verdict !== 'refuse').length }
}

// That both give the same verdicts is proved in `test/upstash/same-verdicts.test.ts`.
const INDEXES = [
  ['Vectorize', overVectorize],
  ['Upstash Vector', overUpstash],
] as const
describe.each(DEEP ? INDEXES : INDEXES.slice(0, 1))('a collection in %s', (_, over) => {
  test('answers everyday words by the cosine, with its own learned scale', async () => {
    const retriever = await over()
    const scale = await learn(retriever)
    expect(scale).toMatchObject({ kind: 'scale', windows: 150, meaning: { kind: 'cosine' } })
    expect((await ask(retriever, ANSWERED)).answered).toBe(0)
    const { answered, decisions } = await ask(retriever, ANSWERED, scale)
    expect(answered).toBeGreaterThanOrEqual(8)
    expect((await ask(retriever, FOREIGN, scale)).answered).toBeLessThanOrEqual(2)
    // A cosine of the whole says nothing of what is asked beside.
    const beside = ANSWERED.map((question) => `${question} What is the weather in Chicago?`)
    beside.forEach((question, at) => asked.set(question, asked.get(ANSWERED[at]!)!))
    expect((await ask(retriever, beside, scale)).answered).toBe(0)
    for (const { signals, confidence } of decisions) {
      expect(judge(policy, JSON.parse(JSON.stringify(signals)) as typeof signals).confidence).toBe(confidence)
    }
  })
})

test('no scale uses a cosine of hashed words, of an encoder without meaning, or when switched off', async () => {
  const retriever = await overUpstash()
  const hashed = { ...retriever, embedding: { model: 'hashed-words-trigrams-1024', dimension: DIMENSION } }
  const blind: Retriever = {
    retrieve: async (request) =>
      (await retriever.retrieve(request)).map(({ kind, entries }) => ({
        kind,
        entries: entries.map((entry) => ({ ...entry, score: 0.1 * normal() })),
      })),
  }
  for (const scale of [
    await learn(hashed, { windows: 30 }),
    await learn(retriever, { windows: 30, meaning: 'none' }),
    await learn(blind, { windows: 30, meaning: 'cosine' }),
  ]) {
    expect(scale).toMatchObject({ kind: 'scale' })
    expect(scale).not.toHaveProperty('meaning')
  }
})
