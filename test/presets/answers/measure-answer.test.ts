import { settingsIn } from '../../fixtures/policy.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chunk, Scores } from '../../../src/core/evidence/chunk.ts'
import {
  evidenceShare,
  largestShare,
  evidenceShareGate,
} from '../../../packages/presets/src/sufficiency/evidence-share.ts'
import { groundingGate } from '../../../packages/presets/src/answers/grounding.ts'
import { answerSentences, citedNumbers } from '../../../packages/presets/src/answers/sentence-support.ts'
import type { GenerationReport } from '../../../src/core/answer/answer-input.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'
import { anyText } from '../../fixtures/any-text.ts'
import { measureAnswer, supportOfSentences } from '../../fixtures/english.ts'

const TEXTS = [
  'The warranty of the Falcon lasts 24 months and costs 1,200 euros. Repairs are free.',
  'Returns are accepted within 30 days, by post or in the Berlin shop.',
]
const CHUNKS = evidenceOf(TEXTS, { cosine: 0.8 }).chunks

const measured = (answer: string | undefined, report: GenerationReport = {}, chunks: readonly Chunk[] = CHUNKS) =>
  measureAnswer({ question: 'How long is the warranty?', chunks, answer, report })

/** Which sentences of an answer are not supported, as written. */
const unsupportedIn = (answer: string): readonly string[] =>
  groundingGate.refusedSentences?.({ gate: 'grounding', minTermShare: 0.5 }, answer, measured(answer)) ?? []

describe('the support of sentences', () => {
  it.each([
    ['The Falcon has a warranty of 24 months.'],
    ['The warranty lasts 24 months [1]. Returns are accepted within 30 days [2].'],
    ['The warranty costs 1200 euros.'],
    ['The warranty costs 1200.00 euros [1].'],
    ['Falcon repairs are free during the warranty. [1] Returns go to Berlin. [2]'],
    ['Returns: by post, or in the shop [1, 2].'],
    ['1. The warranty lasts 24 months.\n2. Returns are accepted within 30 days.\n- Repairs are free.'],
    ['Yes. Repairs are free.'],
    ['Repairs are FREE.'],
    ['“Repairs are free.”'],
    ['**Falcon** repairs are free, says the Warranties text [1].'],
  ])('is found in the passages for: %s', (answer) => {
    expect(unsupportedIn(answer)).toEqual([])
  })

  it.each([
    ['a figure that no passage contains', 'The warranty lasts 36 months.'],
    ['a figure with the same first digits as one in a passage', 'The warranty costs 12 euros.'],
    ['a name that no passage contains', 'The warranty of the Condor lasts 24 months.'],
    ['an abbreviation that no passage contains', 'NASA accepts returns within 30 days.'],
    ['words that no passage contains', 'Batteries and tyres are excluded from everything.'],
    ['text of another passage than the one cited', 'Returns are accepted within 30 days [1].'],
    ['a passage that was not retrieved', 'The warranty lasts 24 months [7].'],
  ])('is missing for %s', (_, answer) => {
    expect(unsupportedIn(answer)).toEqual([answer])
  })

  it('is reported sentence by sentence', () => {
    expect(unsupportedIn('Repairs are free. The Condor flies. Returns take 30 days [2].')).toEqual([
      'The Condor flies.',
    ])
  })

  it.each([
    ['1,200', '1200', 0],
    ['12,000', '12000', 0],
    ['1,000,000', '1000000', 0],
    ['1,200.50', '1200.5', 0],
    ['10.00', '10', 0],
    ['100', '1', 1],
    ['1234,567', '1234567', 1],
    ['12,34', '1234', 1],
    ['1,200/3', '1200/3', 1],
    ['1.2.30', '1.2.3', 1],
    ['24:00', '24', 1],
  ])('compares %s with the figure %s: %d missing', (passage, answer, missing) => {
    const [support] = supportOfSentences(`It costs ${answer} euros.`, [`It costs ${passage} euros.`])
    expect(support?.missingNumbers).toBe(missing)
  })

  it.each([
    ['a name within the sentence', 'It flies over Kiel.', 1],
    ['a name twice', 'It flies from Kiel to Kiel.', 1],
    ['a name of one letter within it', 'It flies over Q.', 1],
    ['a first word', 'Flying helps.', 0],
    ['a first word after a quotation mark', '“Flying helps.', 0],
    ['a first letter', 'Q helps.', 0],
    ['a first word in capitals', 'NASA helps.', 1],
    ['a name after a number', '7 Kiel helps.', 1],
    ['a stop word in capitals', 'It is THE flight.', 0],
    ['a name that the passage has in lower case', 'It needs Oil.', 0],
    ['a name in another form', 'It needs Engines.', 0],
  ])('compares %s: %s, %d missing', (_, answer, missing) => {
    expect(supportOfSentences(answer, ['the engine needs oil'])[0]?.missingNames).toBe(missing)
  })

  it("is the share of a sentence's terms in its passages, each term once", () => {
    const [support] = supportOfSentences('Red keys, red engines[1]oil, blue.', ['red key', 'oil'])
    // One of red, key, engine, oil, blue is not said by the passage cited: only red and key are.
    expect(support).toEqual({ termCount: 5, termShare: 0.4, missingNumbers: 0, missingNames: 0, unknownCitations: 0 })
    expect(supportOfSentences('Yes.', ['red key'])[0]).toMatchObject({ termCount: 0, termShare: 0 })
    expect(supportOfSentences('', ['red key'])).toEqual([])
  })

  it('attributes a citation after a full stop to the sentence before it', () => {
    expect(answerSentences('It starts. [1] Then it runs. [2][1]')).toEqual(['It starts. [1]', 'Then it runs. [2][1]'])
    expect(answerSentences('It starts. [1, 2] [3]')).toEqual(['It starts. [1, 2] [3]'])
    expect(answerSentences('[1] It starts.')).toEqual(['[1] It starts.'])
    expect(answerSentences('It starts. [see] It runs.')).toEqual(['It starts.', '[see] It runs.'])
    expect(citedNumbers('a [1], b [2, 10]; c [x] (3)')).toEqual([1, 2, 10])
    expect(citedNumbers('a [1 ,  2;3]')).toEqual([1, 2, 3])
  })

  it('ignores brackets in code', () => {
    const answer = 'Read `rows[7]` first. [1]\n\n```js\nrows[8]\n\n[9]\n```\n\nThen stop. [2]'
    expect(citedNumbers(answer)).toEqual([1, 2])
    const said = supportOfSentences(answer, ['Read `rows[7]` first. rows[8] [9]', 'Then stop.'])
    expect(said.map(({ unknownCitations }) => unknownCitations)).toEqual(said.map(() => 0))
    expect(said).toHaveLength(answerSentences(answer).length)
    expect(answerSentences(answer).join('\n')).toContain('rows[8]')
    expect(citedNumbers('a ` [1]')).toEqual([1])
  })

  it('does not count list numbers as sentences', () => {
    expect(answerSentences('1. Turn it.\n2.\n- Stop it.')).toEqual(['Turn it.', 'Stop it.'])
  })
})

describe('measureAnswer', () => {
  it('reports when there is no readable answer', () => {
    for (const answer of [undefined, '', ' \n']) {
      expect(measured(answer)).toMatchObject({ readable: false, sentences: [], termCount: 0 })
    }
  })

  it('distinguishes missing values from 0 and from invalid ones', () => {
    expect(measured('Yes')).not.toHaveProperty('generationConfidence')
    expect(measured('Yes', { generationConfidence: 0 })).toMatchObject({ generationConfidence: 0, unusable: [] })
    for (const generationConfidence of ['high', '0.9', true, NaN, -0.1, 1.1, {}] as unknown as number[]) {
      expect(measured('Yes', { generationConfidence })).toMatchObject({ unusable: ['generationConfidence'] })
    }
  })

  it('uses the geometric mean of token probabilities, and does not mix the sources of confidence', () => {
    const report = { tokenLogProbabilities: [Math.log(0.9), Math.log(0.4)], generationConfidence: 1 }
    const input = { question: 'q', chunks: CHUNKS, answer: 'a', report }
    const { generationConfidence } = measureAnswer({ ...input, generationConfidenceSource: 'token-log-probabilities' })
    expect(generationConfidence).toBeCloseTo(0.6, 12)
    expect(measureAnswer(input).generationConfidence).toBe(1)
  })

  it.each<[string, unknown, object]>([
    ['nothing', undefined, { unusable: [] }],
    ['no tokens', [], { unusable: [] }],
    ['no list', 'all', { unusable: ['generationConfidence'] }],
    ['a probability above 1', [-0.1, 0.1], { unusable: ['generationConfidence'] }],
    ['a text among numbers', [-0.1, '-0.1'], { unusable: ['generationConfidence'] }],
    ['NaN', [NaN], { unusable: ['generationConfidence'] }],
  ])('gives no confidence for token probabilities that are %s', (_, tokens, expected) => {
    const report = { tokenLogProbabilities: tokens as number[] }
    const generationConfidenceSource = 'token-log-probabilities'
    const signals = measureAnswer({ question: 'q', chunks: CHUNKS, answer: 'a', report, generationConfidenceSource })
    expect(signals).toMatchObject(expected)
    expect(signals).not.toHaveProperty('generationConfidence')
  })

  it('treats null as nothing reported', () => {
    expect(measured('Yes', { generationConfidence: null as unknown as number }).unusable).toEqual([])
  })

  it('counts a token probability of 0', () => {
    const report = { tokenLogProbabilities: [-Infinity, 0] }
    const input = { question: 'q', chunks: CHUNKS, answer: 'a', report }
    expect(measureAnswer({ ...input, generationConfidenceSource: 'token-log-probabilities' })).toMatchObject({
      generationConfidence: 0,
    })
  })

  it('accepts only shares that add up over known chunks', () => {
    const shares = (...pairs: [string, unknown][]): GenerationReport => ({
      // As a route without types may report it.
      attribution: { shares: pairs.map(([chunkId, share]) => ({ chunkId, share: share as number })) },
    })
    expect(measured('a', shares(['chunk-0', 0.65], ['chunk-1', 0.35]))).toMatchObject({
      reportedShares: [{ share: 0.65 }, { share: 0.35 }],
      reportedNoSupport: 0,
    })
    const bad = [
      shares(),
      shares(['chunk-0', 65], ['chunk-1', 35]),
      shares(['chunk-0', 0.5]),
      shares(['chunk-0', NaN], ['chunk-1', 1]),
      shares(['chunk-0', '1']),
      shares(['chunk-0', 1.5], ['chunk-1', -0.5]),
      shares(['elsewhere', 1]),
      shares(['chunk-0', 0.5], ['chunk-0', 0.5]),
      { attribution: { shares: null as never } },
      { attribution: { shares: [null as never] } },
    ]
    const within = (sum: number) => measured('a', shares(['chunk-0', sum / 2], ['chunk-1', sum / 2])).unusable
    expect([within(0.9995), within(1.0005), within(0.99), within(1.01)]).toEqual([
      [],
      [],
      ['attribution'],
      ['attribution'],
    ])
    for (const report of bad) {
      expect(measured('a', report)).toMatchObject({ unusable: ['attribution'] })
      expect(measured('a', report)).not.toHaveProperty('reportedShares')
    }
  })

  it('rejects a noSupport share outside 0..1', () => {
    for (const noSupport of [-0.1, 1.1, NaN]) {
      const attribution = { shares: [{ chunkId: 'chunk-0', share: 1 - noSupport }], noSupport }
      expect(measured('a', { attribution })).toMatchObject({ unusable: ['attribution'] })
    }
  })

  it('counts words and terms that the answer shares with each chunk, each once', () => {
    const chunks = evidenceOf(['The  Red key\nturns, red!', 'Nothing']).chunks
    const { overlaps, termCount, unsupportedTermCount } = measured(' the red red KEY glows ', {}, chunks)
    // Words as they stand between spaces; terms without stop words and marks.
    expect(overlaps.map(({ words, terms }) => [words, terms])).toEqual([
      [3, 2],
      [0, 0],
    ])
    expect([termCount, unsupportedTermCount]).toEqual([3, 1])
  })

  it.each<[Scores, number | undefined]>([
    [{ 'cross-encoder': 0.9, grade: 0, cosine: 0.1, convex: 0.2 }, 0.9],
    [{ grade: 1.5, cosine: 0.1 }, 0.5],
    [{ cosine: 0.4, convex: 0.2 }, 0.4],
    [{ convex: 0.2 }, 0.2],
    [{ bm25: 7 }, undefined],
    [{ cosine: 1.0000001 }, 1],
    [{ cosine: -0.5 }, 0],
    [{ cosine: NaN }, undefined],
  ])('derives from a chunk with the scores %j the confidence %j', (scores, confidence) => {
    const [overlap] = measured('a', {}, evidenceOf(['text'], scores).chunks).overlaps
    expect(overlap?.confidence).toBe(confidence)
    expect(Object.hasOwn(overlap ?? {}, 'confidence')).toBe(confidence !== undefined)
  })

  it('counts the unsupported share as part of the whole', () => {
    const attribution = { shares: [{ chunkId: 'chunk-0', share: 0.4 }], noSupport: 0.6 }
    expect(largestShare(settingsIn(evidenceShareGate, evidenceShare()), measured('a', { attribution }))).toEqual({
      chunkId: 'chunk-0',
      share: 0.4,
    })
  })

  it('reads the kinds of the cited sources from their metadata', () => {
    const kinds = ['government', 'market_data', 'blog', undefined, 7, 'toString']
    const chunks = evidenceOf(['a', 'b', 'c', 'd', 'e', 'f']).chunks.map((chunk, at) => {
      const kind = kinds[at]
      return { ...chunk, ...(kind === undefined ? {} : { metadata: { source_kind: kind } }) }
    })
    expect(measured('x [1][2]. y [4]', {}, chunks).citedSources).toEqual(['government', 'market-data', 'unknown'])
    expect(measured('x [5][6]', {}, chunks).citedSources).toEqual(['unknown', 'unknown'])
    expect(measured('x [1]', { citedChunkIds: ['chunk-2'] }, chunks).citedSources).toEqual(['unknown'])
  })

  it('checks a structured answer for the fields that the policy reads', () => {
    const structure = (structured: unknown) =>
      measureAnswer({ question: 'q', chunks: CHUNKS, answer: 'a', report: { structured }, fields: ['a', 'b'] })
        .structure
    expect(structure({ a: 1, b: 0 })).toEqual({ valid: true, lookedFor: ['a', 'b'], missing: [] })
    expect(structure('{"a":""}')).toEqual({ valid: true, lookedFor: ['a', 'b'], missing: ['a', 'b'] })
    expect(structure({ a: null, b: undefined })).toMatchObject({ valid: true, missing: ['a', 'b'] })
    expect(structure({ b: false })).toMatchObject({ valid: true, missing: ['a'] })
    expect(structure('{')).toEqual({ valid: false, lookedFor: ['a', 'b'], missing: ['a', 'b'] })
    const unasked = measureAnswer({ question: 'q', chunks: CHUNKS, answer: 'a', report: { structured: {} } })
    expect(unasked.structure).toEqual({ valid: true, lookedFor: [], missing: [] })
    for (const invalid of ['{', [1], null, 5]) expect(structure(invalid)).toMatchObject({ valid: false })
    expect(structure(undefined)).toBeUndefined()
  })

  it('gives finite numbers within their bounds for any texts, and contains no text', () => {
    fc.assert(
      fc.property(anyText(), fc.array(anyText(), { maxLength: 3 }), (answer, texts) => {
        const signals = measured(answer, {}, evidenceOf(texts).chunks)
        expect(JSON.parse(JSON.stringify(signals))).toEqual(signals)
        expect(signals.unsupportedTermCount).toBeLessThanOrEqual(signals.termCount)
        for (const { termShare } of signals.sentences) expect(termShare >= 0 && termShare <= 1).toBe(true)
      }),
    )
  })
})

describe('shares derived from words', () => {
  const share = (answer: string, texts: readonly string[], options: Parameters<typeof evidenceShare>[0] = {}) =>
    largestShare(
      settingsIn(evidenceShareGate, evidenceShare(options)),
      measured(answer, {}, evidenceOf(texts, { cosine: 0.5 }).chunks),
    )

  it('do not give a single chunk the whole of an answer that it does not support', () => {
    expect(share('completely unrelated reply', ['murder punishment'])).toMatchObject({ share: 0 })
    expect(share('completely unrelated reply', ['murder punishment'], { noSupport: 'ignored' })).toMatchObject({
      share: 1,
    })
    expect(share('murder is punished', ['murder punishment'])).toMatchObject({ share: 1 })
  })

  it('can be summed over the largest', () => {
    const texts = ['alpha beta', 'gamma', 'delta']
    expect(share('alpha beta gamma delta', texts)).toMatchObject({ chunkId: 'chunk-0', share: 0.5 })
    expect(share('alpha beta gamma delta', texts, { largest: 2 })).toMatchObject({ chunkId: 'chunk-0', share: 0.75 })
  })

  it('can be weighted by the retrieval confidence of their chunks', () => {
    expect(share('alpha beta', ['alpha beta'], { weighting: 'chunk-confidence' })).toMatchObject({ share: 0.5 })
  })
})

describe('the citations of an answer', () => {
  const CHUNKS = ['Red paint dries in two hours.', 'Blue paint dries in two days.'].map((text, at) => ({
    id: `c${at}`,
    documentId: 'd',
    text,
    scores: {},
  }))
  const cited = (answer: string) => {
    const { overlaps } = measureAnswer({ question: 'q', chunks: CHUNKS, answer })
    return overlaps.map((each) => each.cited)
  }

  it.each([
    ['Red paint dries in two hours [1].', [5, 0]],
    // Only what the cited passage holds.
    ['Red paint dries in two hours [2].', [0, 3]],
    // What both hold is divided.
    ['Paint dries [1, 2].', [1, 1]],
    ['Paint dries [1][1].', [2, 0]],
    ['Red paint dries in two hours.', [0, 0]],
    ['Red paint dries in two hours [7].', [0, 0]],
    // At the end of a paragraph it stands for the sentences before it, and for none behind it.
    ['Red paint dries. It takes two hours. [1] Blue paint.', [5, 0]],
    ['', [0, 0]],
  ])('in %j give the passages the terms %j', (answer, expected) => {
    expect(cited(answer)).toEqual(expected)
  })
})
