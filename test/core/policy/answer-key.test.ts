import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  questionKey,
  type QuestionKeyParts,
  evidenceKey,
  type EvidenceKeyParts,
  type SharedKeyParts,
} from '../../../src/core/policy/answer-key.ts'
import { examples } from '../../properties.ts'

// Few and awkward values, so that pairs which differ in one part, or shift text between parts, turn up often.
const text = fc.constantFrom('', 'a', 'b', 'ab', ':', '1:a', '0:', 'a;b', '#', '%23', '\u0000', 'é', '🜁')
const parts: fc.Arbitrary<QuestionKeyParts> = fc.record({
  version: text,
  tenant: text,
  collection: text,
  filter: text,
  partition: text,
  route: text,
  audience: text,
  policyId: text,
  mode: text,
  corpusVersion: fc.nat({ max: 12 }),
  lexiconId: text,
  retrieval: text,
  vary: fc.array(text, { maxLength: 3 }),
  question: text,
  options: fc.dictionary(fc.constantFrom('topK', 'otherFields', 'a', ''), text, { noNullPrototype: true }),
})
const base: QuestionKeyParts = {
  version: '1',
  tenant: 't',
  collection: 'c',
  filter: 'f',
  partition: 'p',
  route: '/ask',
  audience: 'public',
  policyId: 'balanced@0',
  mode: 'enforce',
  corpusVersion: 3,
  lexiconId: 'l',
  retrieval: '{}',
  vary: ['en'],
  question: 'why',
  options: { topK: '5' },
}

describe('questionKey', () => {
  it('is equal if and only if every part is equal', () => {
    const pair = fc.tuple(parts, parts, fc.constantFrom(...(Object.keys(base) as (keyof QuestionKeyParts)[])))
    fc.assert(
      fc.property(pair, ([one, other, name]) => {
        const changed = { ...one, [name]: other[name] }
        expect(questionKey(changed) === questionKey(one)).toBe(canonical(changed) === canonical(one))
        expect(questionKey(other) === questionKey(one)).toBe(canonical(other) === canonical(one))
      }),
      { numRuns: examples(2000, 10_000) },
    )
  })

  it.each(Object.keys(base) as (keyof QuestionKeyParts)[])('changes with %s', (name) => {
    const other = { ...base, corpusVersion: 4, vary: ['de'], options: { topK: '6' } }
    const value = typeof base[name] === 'string' ? `${base[name]}x` : other[name]
    expect(questionKey({ ...base, [name]: value })).not.toBe(questionKey(base))
  })

  it('does not depend on the order of the options', () => {
    expect(questionKey({ ...base, options: { a: '1', b: '2' } })).toBe(
      questionKey({ ...base, options: { b: '2', a: '1' } }),
    )
  })

  it('has a fixed form, because stored answers are found by it: changing it needs a new schema number', () => {
    const options = { topK: '5', fields: '' }
    expect(questionKey({ ...base, options })).toBe(
      '12:answer-key/48:question1:11:t1:c1:f1:p4:/ask6:public10:balanced@07:enforce2:{}4:2:en3:why19:6:fields0:4:topK1:51:31:l',
    )
  })

  it('differs when text moves from one part to the next', () => {
    expect(questionKey({ ...base, tenant: 'ab', collection: 'c' })).not.toBe(
      questionKey({ ...base, tenant: 'a', collection: 'bc' }),
    )
    expect(questionKey({ ...base, vary: ['a', 'b'] })).not.toBe(questionKey({ ...base, vary: ['ab'] }))
    expect(questionKey({ ...base, options: { a: 'b' } })).not.toBe(questionKey({ ...base, options: { ab: '' } }))
  })
})

describe('evidenceKey', () => {
  type Parts = SharedKeyParts & EvidenceKeyParts
  const evidence: fc.Arbitrary<EvidenceKeyParts> = fc.record({
    fingerprint: text,
    verdict: fc.constantFrom('pass', 'advise'),
    band: fc.constantFrom('high', 'medium', 'low'),
    reason: fc.constantFrom('passed', 'confidence_low') as fc.Arbitrary<EvidenceKeyParts['reason']>,
  })
  const shared = parts.map((all): SharedKeyParts => {
    const { corpusVersion: _version, lexiconId: _lexicon, ...rest } = all
    return rest
  })
  const whole: fc.Arbitrary<Parts> = fc.tuple(shared, evidence).map(([a, b]) => ({ ...a, ...b }))

  it('is equal if and only if every part except the corpus version is equal, and never equals a question key', () => {
    fc.assert(
      fc.property(whole, whole, parts, fc.nat(), (one, other, question, at) => {
        const names = Object.keys(one) as (keyof Parts)[]
        const name = names[at % names.length]!
        const changed = { ...one, [name]: other[name] }
        expect(evidenceKey(changed) === evidenceKey(one)).toBe(canonical(changed) === canonical(one))
        expect(evidenceKey(other) === evidenceKey(one)).toBe(canonical(other) === canonical(one))
        const moved = { ...one, corpusVersion: 7, lexiconId: 'other' }
        expect(evidenceKey(moved)).toBe(evidenceKey(one))
        expect(evidenceKey(one)).not.toBe(questionKey(question))
      }),
      { numRuns: examples(10_000) },
    )
  })
})

function canonical(key: SharedKeyParts): string {
  return JSON.stringify({ ...key, options: Object.entries(key.options).sort() })
}
