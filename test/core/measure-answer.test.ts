import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chunk } from '../../src/core/chunk.ts'
import { evidenceShare, largestShare } from '../../src/core/gates/evidence-share.ts'
import { unsupportedSentences } from '../../src/core/gates/grounding.ts'
import { answerSentences, citedNumbers } from '../../src/core/grounding.ts'
import { type GenerationReport, measureAnswer } from '../../src/core/measure-answer.ts'
import { evidenceOf } from '../fixtures/evidence.ts'

const TEXTS = [
  'The warranty of the Falcon lasts 24 months and costs 1,200 euros. Repairs are free.',
  'Returns are accepted within 30 days, by post or in the Berlin shop.',
]
const CHUNKS = evidenceOf(TEXTS, { cosine: 0.8 }).chunks

const measured = (answer: string | undefined, report: GenerationReport = {}, chunks: readonly Chunk[] = CHUNKS) =>
  measureAnswer({ question: 'How long is the warranty?', chunks, answer, report })

/** Which sentences of an answer are not supported, as written. */
const unsupportedIn = (answer: string): string[] => {
  const sentences = answerSentences(answer)
  return unsupportedSentences({ minTermShare: 0.5 }, measured(answer).sentences).map((at) => sentences[at] ?? '')
}

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
    ['**Falcon** repairs are free, says the Warranties text [1].'],
  ])('is found in the passages: %s', (answer) => {
    expect(unsupportedIn(answer)).toEqual([])
  })

  it.each([
    ['a figure that no passage holds', 'The warranty lasts 36 months.'],
    ['a figure that only begins alike', 'The warranty costs 12 euros.'],
    ['a name that no passage holds', 'The warranty of the Condor lasts 24 months.'],
    ['an abbreviation that no passage holds', 'NASA accepts returns within 30 days.'],
    ['words that no passage holds', 'Batteries and tyres are excluded from everything.'],
    ['what another passage says than the one cited', 'Returns are accepted within 30 days [1].'],
    ['a passage that was not retrieved', 'The warranty lasts 24 months [7].'],
  ])('is missing for %s', (_, answer) => {
    expect(unsupportedIn(answer)).toEqual([answer])
  })

  it('is told sentence by sentence', () => {
    expect(unsupportedIn('Repairs are free. The Condor flies. Returns take 30 days [2].')).toEqual([
      'The Condor flies.',
    ])
  })

  it('gives a citation behind a full stop to the sentence before it', () => {
    expect(answerSentences('It starts. [1] Then it runs. [2][1]')).toEqual(['It starts. [1]', 'Then it runs. [2][1]'])
    expect(citedNumbers('a [1], b [2, 10]; c [x] (3)')).toEqual([1, 2, 10])
  })
})

describe('measureAnswer', () => {
  it('says that there is no answer to read', () => {
    for (const answer of [undefined, '', ' \n']) {
      expect(measured(answer)).toMatchObject({ readable: false, sentences: [], termCount: 0 })
    }
  })

  it('keeps what is missing apart from 0 and from what is invalid', () => {
    expect(measured('Yes')).not.toHaveProperty('generationConfidence')
    expect(measured('Yes', { generationConfidence: 0 })).toMatchObject({ generationConfidence: 0, unusable: [] })
    for (const generationConfidence of ['high', '0.9', true, NaN, -0.1, 1.1, {}] as unknown as number[]) {
      expect(measured('Yes', { generationConfidence })).toMatchObject({ unusable: ['generationConfidence'] })
    }
  })

  it('takes the geometric mean of token probabilities, and does not mix the sources', () => {
    const report = { tokenLogProbabilities: [Math.log(0.9), Math.log(0.4)], generationConfidence: 1 }
    const input = { question: 'q', chunks: CHUNKS, answer: 'a', report }
    const { generationConfidence } = measureAnswer({ ...input, generationConfidenceSource: 'token-log-probabilities' })
    expect(generationConfidence).toBeCloseTo(0.6, 12)
    expect(measureAnswer(input).generationConfidence).toBe(1)
  })

  it('gives a probability of 0 its due', () => {
    const report = { tokenLogProbabilities: [-Infinity, 0] }
    const input = { question: 'q', chunks: CHUNKS, answer: 'a', report }
    expect(measureAnswer({ ...input, generationConfidenceSource: 'token-log-probabilities' })).toMatchObject({
      generationConfidence: 0,
    })
  })

  it('takes shares that add up over known chunks, and no others', () => {
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
    for (const report of bad) {
      expect(measured('a', report)).toMatchObject({ unusable: ['attribution'] })
      expect(measured('a', report)).not.toHaveProperty('reportedShares')
    }
  })

  it('counts what is left without support as part of the whole', () => {
    const attribution = { shares: [{ chunkId: 'chunk-0', share: 0.4 }], noSupport: 0.6 }
    expect(largestShare(evidenceShare(), measured('a', { attribution }))).toEqual({ chunkId: 'chunk-0', share: 0.4 })
  })

  it('reads the kinds of the cited sources from their metadata', () => {
    const kinds = ['government', 'market_data', 'blog', undefined]
    const chunks = evidenceOf(['a', 'b', 'c', 'd']).chunks.map((chunk, at) => {
      const kind = kinds[at]
      return { ...chunk, ...(kind === undefined ? {} : { metadata: { source_kind: kind } }) }
    })
    expect(measured('x [1][2]. y [4]', {}, chunks).citedSources).toEqual(['government', 'market-data', 'unknown'])
    expect(measured('x [1]', { citedChunkIds: ['chunk-2'] }, chunks).citedSources).toEqual(['unknown'])
  })

  it('holds a structured answer against the fields that are looked for', () => {
    const structure = (structured: unknown) =>
      measureAnswer({ question: 'q', chunks: CHUNKS, answer: 'a', report: { structured }, fields: ['a', 'b'] })
        .structure
    expect(structure({ a: 1, b: 0 })).toEqual({ valid: true, lookedFor: ['a', 'b'], missing: [] })
    expect(structure('{"a":""}')).toEqual({ valid: true, lookedFor: ['a', 'b'], missing: ['a', 'b'] })
    for (const invalid of ['{', [1], null, 5]) expect(structure(invalid)).toMatchObject({ valid: false })
    expect(structure(undefined)).toBeUndefined()
  })

  it('gives finite numbers within their bounds for any texts, and no text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }),
        (answer, texts) => {
          const signals = measured(answer, {}, evidenceOf(texts).chunks)
          expect(JSON.parse(JSON.stringify(signals))).toEqual(signals)
          expect(signals.unsupportedTermCount).toBeLessThanOrEqual(signals.termCount)
          for (const { termShare } of signals.sentences) expect(termShare >= 0 && termShare <= 1).toBe(true)
        },
      ),
    )
  })
})

describe('shares derived from words', () => {
  const share = (answer: string, texts: readonly string[], options: Parameters<typeof evidenceShare>[0] = {}) =>
    largestShare(evidenceShare(options), measured(answer, {}, evidenceOf(texts, { cosine: 0.5 }).chunks))

  it('do not let a single chunk have the whole of an answer that it does not hold', () => {
    expect(share('completely unrelated reply', ['murder punishment'])).toMatchObject({ share: 0 })
    expect(share('completely unrelated reply', ['murder punishment'], { noSupport: 'ignored' })).toMatchObject({
      share: 1,
    })
    expect(share('murder is punished', ['murder punishment'])).toMatchObject({ share: 1 })
  })

  it('can be added up over the largest', () => {
    const texts = ['alpha beta', 'gamma', 'delta']
    expect(share('alpha beta gamma delta', texts)).toMatchObject({ chunkId: 'chunk-0', share: 0.5 })
    expect(share('alpha beta gamma delta', texts, { largest: 2 })).toMatchObject({ chunkId: 'chunk-0', share: 0.75 })
  })

  it('can be weighed by how sure retrieval was', () => {
    expect(share('alpha beta', ['alpha beta'], { weighting: 'chunk-confidence' })).toMatchObject({ share: 0.5 })
  })
})
