import { describe, expect, it } from 'vitest'
import { createStaticCollections } from '../../src/adapters/static-collections.ts'
import { seededRandom } from '../../packages/calibration/src/scale/seeded-random.ts'
import { isCollectionScale, logOdds, scaledFor } from '../../src/core/scale/index.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import { english } from '../../src/language/english/english.ts'
import { tuneThreshold } from '../../packages/calibration/src/tune-threshold.ts'
import type { Ranking } from '../../src/core/evidence/chunk.ts'
import type { Finding } from '../../src/core/gates/finding.ts'
import { namespaceOf } from '../../src/core/lib/ids.ts'
import { confidenceOf } from '../../src/core/policy/index.ts'
import { unscaled } from '../../src/core/policy/scaled.ts'
import { buildLexicon } from '../fixtures/english.ts'
import { signalsOf } from '../fixtures/evidence.ts'
import { confidenceOfWindow, learnScale } from '../../packages/ingest/src/learn-scale.ts'
import { plainCollection } from '../../src/ports/collections.ts'
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

  it('asks as the gate does: in the tenant, with its limit, with the lexicon of the collection', async () => {
    const asked: unknown[] = []
    const retriever: Retriever = {
      retrieve: async (request) => {
        const { tenant, collection, namespace, topK } = request
        asked.push({ tenant, collection, namespace, topK })
        return wordRetriever().retrieve(request)
      },
    }
    const lexicons: string[] = []
    const collections = {
      lexicon: async (id: string) => {
        lexicons.push(id)
        return buildLexicon(passages.slice(0, 40).map(({ text }) => text))
      },
    }
    const collection = { ...plainCollection({ tenant: 'acme', id: 'manual' }), lexiconId: 'words' }
    const learn = (more: object) =>
      learnScale({ retriever, policy: balanced(), passages, windows: 20, clock, retrieval: { topK: 4 }, ...more })
    const plain = await learn({})
    expect(asked[0]).toMatchObject({ tenant: 'default', collection: 'default', topK: 104 })
    asked.length = 0
    expect(await learn({ collection, collections })).not.toEqual(plain)
    expect(lexicons).toEqual(['words'])
    const namespace = namespaceOf('acme', 'manual')
    expect(asked).toEqual(asked.map(() => ({ tenant: 'acme', collection: 'manual', namespace, topK: 104 })))
    // One that cannot be read is none.
    expect(await learn({ collection })).toEqual(plain)
  })

  it('stops when told to', async () => {
    const retriever = wordRetriever()
    let left = 5
    const isOver = (): boolean => left-- <= 0
    const scale = await learnScale({ retriever, policy: balanced(), passages, isOver, clock })
    expect(scale).toMatchObject({ kind: 'none', reason: 'too-few-windows', windows: 5 })
    expect(retriever.asked).toHaveLength(5)
  })

  it('weighs meaning unless collection or retriever names an embedding of hashed words', async () => {
    const near: Retriever = {
      retrieve: async (request) => {
        const [{ entries }] = (await wordRetriever().retrieve(request)) as [Ranking]
        return [{ kind: 'cosine', entries: entries.map(({ passage, score }) => ({ passage, score: score / 40 })) }]
      },
    }
    const meaningOf = async (
      more: Partial<Retriever>,
      collection = plainCollection({ tenant: 'acme', id: 'manual' }),
    ) => {
      const retriever = { ...near, ...more }
      const scale = await learnScale({ retriever, policy: balanced(), passages, windows: 40, clock, collection })
      return scale.kind === 'scale' && scale.meaning !== undefined
    }
    const words = { model: 'hashed-words-64', dimension: 64 }
    expect(await meaningOf({})).toBe(true)
    expect(await meaningOf({ embeddingNow: async () => ({ model: 'm', dimension: 64 }) })).toBe(true)
    expect(await meaningOf({ embeddingNow: async () => words })).toBe(false)
    expect(await meaningOf({ embedding: words })).toBe(false)
    const embedded = { ...plainCollection({ tenant: 'acme', id: 'manual' }), embeddingModel: 'hashed-words-64' }
    expect(await meaningOf({}, embedded)).toBe(false)
  })

  it('passes on an error of the retriever', async () => {
    const retriever: Retriever = { retrieve: () => Promise.reject(new TypeError('away')) }
    const learning = learnScale({ retriever, policy: balanced(), passages, clock })
    await expect(learning).rejects.toMatchObject({ code: 'retriever_unavailable' })
  })
})

describe('confidenceOfWindow', () => {
  const policy = balanced()
  const signals = signalsOf({ questionTermCount: 5 })
  const refusing = (gate: string, outcome: Finding['outcome'] = 'refuse') => [{ gate, outcome } as Finding]

  it('is the confidence without a scale, in log-odds by the number of terms', () => {
    const plain = confidenceOf(unscaled(policy.confidence), signals)
    const confidence = confidenceOfWindow(policy, { findings: [], signals })!
    expect(logOdds(confidence)).toBeCloseTo(logOdds(plain) + 0.4 * Math.log(5))
    expect(confidenceOfWindow(policy, { findings: [], signals: { ...signals, chunkCount: 0 } })).toBe(0)
  })

  it('is unknown if a gate refused the question itself', () => {
    const of = (findings: readonly Finding[]) => confidenceOfWindow(policy, { findings, signals })
    const known = of([])
    expect(of([...refusing('confidence-range'), ...refusing('lone-term')])).toBeUndefined()
    expect(of(refusing('confidence-range'))).toBe(known)
    expect(of(refusing('lone-term', 'skip'))).toBe(known)
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
