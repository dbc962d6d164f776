import { describe, expect, it } from 'vitest'
import { loneTerm, type LoneTerm } from '../../../src/core/signals/lone-term.ts'
import { type MeasuredQuestion, subjectOf } from '../../../src/core/signals/measure.ts'
import { runTogetherCount } from '../../../src/core/signals/run-together-count.ts'
import { scale } from '../../../src/core/signals/scale.ts'
import { createMemory, type Signal } from '../../../src/core/signals/signal.ts'
import { topCosine } from '../../../src/core/signals/top-cosine.ts'
import type { Scores } from '../../../src/core/evidence/chunk.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { english } from '../../../src/language/english/english.ts'
import { evidenceOf, scoredEvidence } from '../../fixtures/evidence.ts'
import { buildLexicon } from '../../fixtures/english.ts'

const LEXICON = buildLexicon(['The engine starts.', 'An engine stops.', 'Red paint.'])

function measured<Value>(signal: Signal<Value>, question: string, given: Partial<MeasuredQuestion> = {}): Value {
  return signal.measure(
    subjectOf({ question, evidence: evidenceOf([]), lexicon: LEXICON, language: english, ...given }),
  )
}

describe('createMemory', () => {
  it.each([new Map(), new WeakMap()])('makes the value of a key once: %o', (holder) => {
    const memory = createMemory(holder)
    const [key, other] = [{}, {}]
    let made = 0
    expect([key, key, other, key].map((each) => memory(each, () => ++made))).toEqual([1, 1, 2, 1])
  })
})

describe('loneTerm', () => {
  const titled = (title: string): Partial<MeasuredQuestion> => ({ evidence: scoredEvidence([{ title, scores: {} }]) })
  it.each<[string, Partial<MeasuredQuestion>, LoneTerm | null]>([
    ['engine', {}, { holding: 2, chunks: 3, isTitled: false }],
    ['the engines', titled('Red engine'), { holding: 2, chunks: 3, isTitled: true }],
    ['engine engine', titled('Paint'), { holding: 2, chunks: 3, isTitled: false }],
    ['ladder', {}, { holding: 0, chunks: 3, isTitled: false }],
    ['engine', { lexicon: EMPTY_LEXICON }, { holding: 0, chunks: 0, isTitled: false }],
    ['engine', { language: undefined }, { holding: 0, chunks: 3, isTitled: false }],
    ['What is an engine?', {}, null],
    ['red engine', {}, null],
    ['the', {}, null],
  ])('of %j with %o is %o', (question, given, expected) => {
    expect(measured(loneTerm, question, given)).toEqual(expected)
  })
})

describe('runTogetherCount', () => {
  const question = 'Who whowonthechessmatch and whowonthechessmatch whowonthefootballcup?'
  it.each<[string, Partial<MeasuredQuestion>, number]>([
    ['each time they occur', {}, 3],
    ['except those in the lexicon', { lexicon: buildLexicon(['A whowonthefootballcup.']) }, 2],
    ['except those in any passage', { evidence: evidenceOf(['Red.', 'A whowonthechessmatch.']) }, 1],
    ['and none without a language', { language: undefined }, 0],
  ])('counts words run together, %s', (_, given, expected) => {
    expect(measured(runTogetherCount, question, given)).toBe(expected)
    expect(measured(runTogetherCount, 'Who won the chess match?', given)).toBe(0)
  })
})

describe('topCosine', () => {
  it.each<[readonly Scores[], number | null]>([
    [[{ cosine: 0.2 }, {}, { cosine: 0.9 }, { cosine: 0.5 }], 0.9],
    [[{ bm25: 3 }, { cosine: -0.5 }], -0.5],
    [[{ cosine: 0 }, { cosine: -0.5 }], 0],
    [[{ bm25: 3 }], null],
    [[], null],
  ])('of %j is %s', (scores, expected) => {
    expect(measured(topCosine, '', { evidence: scoredEvidence(scores.map((each) => ({ scores: each }))) })).toBe(
      expected,
    )
  })
})

describe('scale', () => {
  it('returns the scale of the collection, or null', () => {
    const own = { middle: -1, deviation: 1, learnedAtMs: 0, corpusVersion: 1 }
    expect(measured(scale, '', { scale: own })).toBe(own)
    expect(measured(scale, '')).toBeNull()
  })
})
