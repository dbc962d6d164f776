import { describe, expect, it } from 'vitest'
import { createStaticCollections } from '../../src/adapters/static-collections.ts'
import { seededRandom } from '../../packages/calibration/src/scale/seeded-random.ts'
import { isCollectionScale, scaledFor } from '../../src/core/scale/index.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import { english } from '../../src/language/english/english.ts'
import { tuneThreshold } from '../../packages/calibration/src/tune-threshold.ts'
import type { Finding } from '../../src/core/gates/finding.ts'
import { learnScale } from '../../packages/ingest/src/learn-scale.ts'
import type { Retriever } from '../../src/ports/retriever.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'

const WORDS =
  `keys gates answers passages tenants policies questions scores documents indexes mornings tables rivers ladders
  engines windows gardens letters bridges numbers clocks markets stations forests opened closed counted kept sold painted
  measured carried`.split(/\s+/)
const random = seededRandom(3)
const passages = Array.from({ length: 60 }, (_, at) => ({
  id: `p${at}`,
  documentId: `d${at % 12}`,
  title: 'Handbook',
  text: `The ${Array.from({ length: 30 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')}.`,
}))

/** Ranks by words in common, and counts. */
function wordRetriever(): Retriever & { readonly asked: number[] } {
  const asked: number[] = []
  return {
    asked,
    retrieve: async ({ question, topK }) => {
      asked.push(topK)
      const words = question.toLowerCase().split(/\W+/)
      const entries = passages
        .map((passage) => ({ passage, score: words.filter((word) => passage.text.includes(word)).length }))
        .sort((a, b) => b.score - a.score)
      return [{ kind: 'bm25', entries: entries.slice(0, topK) }]
    },
  }
}

const clock = { nowMs: () => 1000 }

describe('learnScale', () => {
  it('makes one retrieval per window, and returns JSON that a collection accepts', async () => {
    const retriever = wordRetriever()
    const scale = await learnScale({ retriever, policy: balanced(), passages, windows: 40, clock })
    expect(retriever.asked).toEqual(Array.from({ length: 40 }, () => 110))
    expect(scale).toMatchObject({
      kind: 'scale',
      origin: 'documents',
      confidence: scaledFor(balanced()),
      embeddingModel: '',
      corpusVersion: 1,
      chunkCount: 60,
      windows: 40,
      learnedAtMs: 1000,
    })
    const stored: unknown = JSON.parse(JSON.stringify(scale))
    expect(stored).toEqual(scale)
    expect(isCollectionScale(stored)).toBe(true)
    expect(await learnScale({ retriever, policy: balanced(), passages, windows: 40, clock })).toEqual(scale)
    expect(await learnScale({ retriever, policy: balanced(), passages, windows: 40, seed: 2, clock })).not.toEqual(
      scale,
    )
  })

  it('uses the unscaled confidence, whatever scale the collection has', async () => {
    const learn = (collection?: object) =>
      learnScale({ retriever: wordRetriever(), policy: balanced(), passages, windows: 40, clock, ...collection })
    const scale = await learn()
    const collection = (await createStaticCollections([{ id: 'default', scale }]).find('default', 'default'))!
    expect(await learn({ collection })).toEqual(scale)
    // This policy reads a collection without a scale on that of others.
    const policy = balanced({ refuse: { nearMisses: 0.1 } })
    expect(await learn({ policy })).toEqual(scale)
  })

  it('stops when told to', async () => {
    const retriever = wordRetriever()
    let left = 5
    const isOver = (): boolean => left-- <= 0
    const scale = await learnScale({ retriever, policy: balanced(), passages, isOver, clock })
    expect(scale).toMatchObject({ kind: 'none', reason: 'too-few-windows', windows: 5 })
    expect(retriever.asked).toHaveLength(5)
  })

  it('passes on an error of the retriever', async () => {
    const retriever: Retriever = { retrieve: () => Promise.reject(new TypeError('away')) }
    const learning = learnScale({ retriever, policy: balanced(), passages, clock })
    await expect(learning).rejects.toMatchObject({ code: 'retriever_unavailable' })
  })
})

describe('a collection with a scale', () => {
  const settings = {
    mode: 'enforce',
    rules: [],
    retrieval: { topK: 10, timeoutMs: 1000 },
    context: { maxLength: 12_000 },
  } as const
  const asked = {
    question: 'which tables and ladders were painted?',
    collection: 'default',
    principal: { tenant: 'default', id: 'someone', scopes: [] },
    audience: 'operator',
  } as const

  it('is judged with it only under the confidence, language and embedding that it was learned for', async () => {
    const learned = await learnScale({ retriever: wordRetriever(), policy: balanced(), passages, windows: 40, clock })
    const scaleOn = async (scale: typeof learned, policy = balanced(), more: Partial<Retriever> = {}) => {
      const ports = {
        retriever: { ...wordRetriever(), ...more },
        collections: createStaticCollections([{ id: 'default', scale }]),
        clock,
      }
      const result = await gateQuestion(ports, { ...settings, policy: () => policy }, asked)
      return result.kind === 'judged' ? result.decision.signals.scale : undefined
    }
    const { middle, deviation } = learned as { middle: number; deviation: number } & typeof learned
    expect(await scaleOn(learned)).toEqual({ middle, deviation, learnedAtMs: 1000, corpusVersion: 1 })
    // The promise of a tuned threshold is about scaled confidences.
    const decision = { findings: [{ gate: 'confidence-range', actual: 0.7 } as Finding] }
    const labelled = Array.from({ length: 60 }, () => ({ decision, answerable: false }))
    const tuned = tuneThreshold(balanced(), labelled, { gate: 'confidence-range' })
    expect(tuned.to).toBe(0.71)
    expect(await scaleOn(learned, tuned.policy)).toMatchObject({ middle, deviation })
    const language = { ...english, name: 'another' }
    expect(await scaleOn(learned, balanced({ language }))).toBeNull()
    expect(await scaleOn({ ...learned, embeddingModel: 'another' })).toBeNull()
    // A retriever that says how it embeds says it for a collection of which that is not known.
    const embedding = { model: 'another', dimension: 8 }
    expect(await scaleOn(learned, balanced(), { embedding })).toBeNull()
    const other = await learnScale({
      retriever: { ...wordRetriever(), embedding },
      policy: balanced(),
      passages,
      windows: 40,
      clock,
    })
    expect(other).toMatchObject({ embeddingModel: 'another' })
    expect(await scaleOn(other, balanced(), { embedding })).toMatchObject({ middle, deviation })
  })

  it('is rejected when the scale is invalid', () => {
    expect(() => createStaticCollections([{ id: 'default', scale: { kind: 'scale' } as never }])).toThrow(/scale/)
  })
})
