import { defineRule } from '../../src/core/policy/rules.ts'
import * as fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { canonicalJson } from '../../src/core/lib/canonical.ts'
import type { Json } from '../../src/core/lib/json.ts'
import { type CollectionScale, scaledFor } from '../../src/core/scale/collection-scale.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import type { RagGateEnv } from '../../src/middleware/gate-context.ts'
import type { AnswerCache } from '../../src/ports/answer-cache.ts'
import type { Principal } from '../../src/ports/authenticator.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { aGate, LEXICON, POLICY, STRONG } from '../fixtures/gate.ts'
import { examples } from '../properties.ts'

/** Everything that an answer depends on, as a caller or the server would set it. */
interface Asked {
  readonly version: string
  readonly tenant: string
  readonly principal: string
  readonly scopes: Principal['scopes']
  readonly collection: string
  readonly corpusVersion: number
  readonly lexiconId: string
  readonly scale: CollectionScale | null
  readonly filter: string
  readonly path: string
  readonly policy: string
  readonly rule: string
  readonly mode: 'enforce' | 'observe'
  readonly topK: number
  readonly maxLength: number
  readonly language: string
  readonly plan: string
  readonly question: string
  readonly others: Readonly<Record<string, string | number | null>>
}

// Few and awkward values: text that could slip from one part into its neighbour turns up often.
const text = fc.constantFrom('', 'a', 'b', 'ab', '1:a', 'a;b', 'a|b', '%00')
const name = fc.constantFrom('a', 'b', 'ab', 'a-b')
const path = fc.constantFrom('/ask', '/ask/', '/Ask', '/ask;a', '/ask%2fa', '/a/ask')
const learned = (numbers: object): CollectionScale => ({
  origin: 'documents',
  kind: 'scale',
  middle: 0.4,
  deviation: 0.1,
  confidence: scaledFor(POLICY),
  embeddingModel: '',
  corpusVersion: 1,
  chunkCount: 99,
  windows: 99,
  learnedAtMs: 0,
  ...numbers,
})
const ofMeaning = (middle: number): object => ({ meaning: { kind: 'cosine', charge: 1, middle, deviation: 0.1 } })
/** None, and some that differ in one number. */
const SCALES: readonly (CollectionScale | null)[] = [null, {}, { middle: 0.5 }, ofMeaning(0.6), ofMeaning(0.7)].map(
  (numbers) => numbers && learned(numbers),
)
const parts: { readonly [Part in keyof Asked]: fc.Arbitrary<Asked[Part]> } = {
  version: text,
  tenant: name,
  principal: name,
  scopes: fc.constantFrom<Principal['scopes'][]>(['ask'], ['ask', 'admin']),
  collection: name,
  corpusVersion: fc.integer({ min: 1, max: 12 }),
  lexiconId: name,
  scale: fc.constantFrom(...SCALES),
  filter: name,
  path,
  policy: name,
  rule: name,
  mode: fc.constantFrom<Asked['mode'][]>('enforce', 'observe'),
  topK: fc.integer({ min: 1, max: 3 }),
  maxLength: fc.constantFrom(2000, 2001, 12_000),
  language: text,
  plan: text,
  question: fc.constantFrom(
    'How does the engine start?',
    'how does the engine start?',
    'Does the engine start',
    'Démarre the engine?',
  ),
  others: fc.dictionary(name, fc.oneof(text, fc.constant(null), fc.integer({ min: 0, max: 1 })), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
}
const asked: fc.Arbitrary<Asked> = fc.record(parts)
const PARTS = Object.keys(parts) as (keyof Asked)[]

/** How a request is written, where that changes nothing of what it means. */
interface Manner {
  readonly space: string
  readonly form: 'NFC' | 'NFD'
  readonly reversed: boolean
  readonly namesCollection: boolean
  readonly type: string
  readonly header: string
  readonly queryBefore: string
}
const PLAIN: Manner = {
  space: ' ',
  form: 'NFC',
  reversed: false,
  namesCollection: true,
  type: 'application/json',
  header: 'accept-language',
  queryBefore: '',
}
const manners: fc.Arbitrary<Manner> = fc.record({
  space: fc.constantFrom(' ', '  ', '\t', '\u00a0', ' \r ', '\u200b '),
  form: fc.constantFrom<Manner['form'][]>('NFC', 'NFD'),
  reversed: fc.boolean(),
  namesCollection: fc.boolean(),
  type: fc.constantFrom('application/json', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"'),
  header: fc.constantFrom('accept-language', 'Accept-Language', 'ACCEPT-LANGUAGE'),
  queryBefore: fc.constantFrom('', 'utm=1&'),
})

const policies = new Map<string, Policy>()
function policyNamed(named: string): Policy {
  const policy = policies.get(named) ?? definePolicy({ ...POLICY, name: named })
  policies.set(named, policy)
  return policy
}

/** Asks over this store, and tells how it took part. */
async function ask(store: AnswerCache, one: Asked, manner: Manner = PLAIN): Promise<string | null> {
  const { tenant, collection, corpusVersion, lexiconId, scale } = one
  const { gate, journal } = aGate({
    finds: () => [
      {
        kind: 'bm25',
        entries: [{ passage: aPassage('c', { text: STRONG, metadata: { plan: one.filter } }), score: 9 }],
      },
    ],
    policy: policyNamed(one.policy),
    rules: [defineRule({ id: one.rule, check: () => null })],
    mode: one.mode,
    question: { collections: [collection], otherFields: 'allow' },
    retrieval: { topK: one.topK, filter: { 'metadata.plan': one.filter } },
    context: { maxLength: one.maxLength },
    cache: {
      store,
      scope: 'principal',
      version: one.version,
      vary: { headers: ['accept-language'], query: ['plan'] },
    },
    dependencies: {
      authenticate: () => ({ tenant, id: one.principal, scopes: one.scopes }),
      collections: {
        find: async () => ({
          tenant,
          id: collection,
          corpusVersion,
          lexiconId,
          embeddingModel: '',
          dimension: 0,
          policyId: null,
          unpublishedChunkIds: [],
          ...(scale && { scale }),
        }),
        lexicon: async () => LEXICON,
      },
    },
  })
  const members = [
    ['question', one.question.normalize(manner.form).replaceAll(' ', manner.space)],
    ...(manner.namesCollection ? [['collection', collection]] : []),
    ...Object.entries(one.others),
  ]
  const app = new Hono<RagGateEnv>()
  app.post('*', gate, (c) => c.json({ answer: 'Turn the red key.' }))
  const context = { waitUntil: (work: Promise<unknown>) => void journal.waited.push(work) }
  const response = await app.request(
    `${one.path}?${manner.queryBefore}plan=${encodeURIComponent(one.plan)}`,
    {
      method: 'POST',
      body: JSON.stringify(Object.fromEntries(manner.reversed ? members.reverse() : members)),
      headers: { 'content-type': manner.type, [manner.header]: one.language },
    },
    undefined,
    context as unknown as Parameters<typeof app.request>[3],
  )
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
  await Promise.all(journal.waited)
  return response.headers.get('cache-status')
}

const hit = expect.stringMatching(/^rag-gate; hit(; ttl=\d+)?$/)

describe('two requests', () => {
  it('never share an entry when they differ in one part of the key', async () => {
    await fc.assert(
      fc.asyncProperty(asked, asked, fc.constantFrom(...PARTS), async (one, other, part) => {
        fc.pre(canonicalJson(one[part] as Json) !== canonicalJson(other[part] as Json))
        const cache = createMemoryAnswerCache()
        expect(await ask(cache, one)).toBe('rag-gate; fwd=miss')
        const status = await ask(cache, { ...one, [part]: other[part] })
        // After a change of the documents the same evidence may be answered as before, once it was retrieved anew.
        const sameEvidence = part === 'corpusVersion' || part === 'lexiconId'
        expect(status).toMatch(sameEvidence ? /fwd=miss|detail=same-evidence/ : /fwd=miss/)
        expect(await ask(cache, one)).toEqual(hit)
      }),
      { numRuns: examples(100, 10_000) },
    )
  }, 600_000)

  it('never share an entry when the scale of their collection was learned anew', async () => {
    const [one] = fc.sample(asked, { numRuns: 1, seed: 1 })
    const cache = createMemoryAnswerCache()
    for (const scale of SCALES) expect(await ask(cache, { ...one!, scale })).toBe('rag-gate; fwd=miss')
    for (const scale of SCALES) expect(await ask(cache, { ...one!, scale })).toEqual(hit)
  })

  it('always share an entry when they mean the same, however they are written', async () => {
    await fc.assert(
      fc.asyncProperty(asked, manners, manners, async (one, first, second) => {
        const cache = createMemoryAnswerCache()
        expect(await ask(cache, one, first)).toBe('rag-gate; fwd=miss')
        expect(await ask(cache, one, second)).toEqual(hit)
      }),
      { numRuns: examples(100, 10_000) },
    )
  }, 600_000)
})
