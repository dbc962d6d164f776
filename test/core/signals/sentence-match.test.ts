import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sentenceMatch } from '../../../src/core/signals/sentence-match.ts'
import { evidenceOf, scoredEvidence } from '../../fixtures/evidence.ts'
import { buildLexicon, read } from '../../fixtures/english.ts'

/** Every term alike. */
const ALIKE = buildLexicon(['Engine, start, stop, repair, red, blue paint.'])

const match = (texts: readonly string[], lexicon = ALIKE): number =>
  sentenceMatch(read('Who does engine repair?', evidenceOf(texts), lexicon))

describe('sentenceMatch', () => {
  // All terms weigh alike: share said · √(2 ÷ (terms of the sentence + 4)).
  it.each([
    ['both terms and no other', ['Engine repair.'], Math.sqrt(2 / 6)],
    ['both terms among four', ['Engine repair, red paint.'], 0.5],
    ['a term twice as once', ['Engine repair, engine repair, red paint.'], 0.5],
    ['one of two', ['Engine stop.'], 0.5 * Math.sqrt(2 / 6)],
    ['the better of two sentences', ['Engine stop, red paint. Repair.'], 0.5 * Math.sqrt(2 / 5)],
    ['none', ['Red paint.'], 0],
    ['no chunks', [], 0],
  ])('is as computed for %s', (_, texts, expected) => {
    expect(match(texts)).toBeCloseTo(expected, 12)
  })

  it('reads only the five best chunks', () => {
    const fillers = ['Red.', 'Blue paint.', 'Green grass.', 'White snow.']
    expect(match([...fillers, 'Engine repair.'])).toBeGreaterThan(0)
    expect(match([...fillers, 'Grey stone.', 'Engine repair.'])).toBe(0)
  })

  it('weights a term by its idf', () => {
    const lexicon = buildLexicon(['Engine repair.', 'Engine stop.', 'Red paint.', 'Blue paint.'])
    const [engin, repair, stop] = [Math.log(101 / 2.5), Math.log(101 / 1.5), Math.log(101 / 1.5)]
    const squares = engin ** 2 + repair ** 2
    expect(match(['Engine stop.'], lexicon)).toBeCloseTo(
      (engin / (engin + repair)) * Math.sqrt(squares / (engin ** 2 + stop ** 2 + 2 * squares)),
      12,
    )
  })

  it('counts half of a missing term when it is in the title of the chunk', () => {
    const titled = (title: string, text: string): number =>
      sentenceMatch(read('Who does engine repair?', scoredEvidence([{ text, title, scores: {} }]), ALIKE))
    expect(titled('Engines', 'Repair.')).toBeCloseTo(0.75 * Math.sqrt(2 / 5), 12)
    expect(titled('Engine repair, all about engine repair', 'Engine repair.')).toBeCloseTo(Math.sqrt(2 / 6), 12)
    // A sentence that says nothing of the question is no match under any title.
    expect(titled('Engine repair', 'Red paint.')).toBe(0)
  })

  it('is that of the best sentence, although most sentences are skipped early', () => {
    const word = fc.constantFrom('Engine', 'Repair', 'Red', 'Blue', 'Paint', 'Start', 'Stop')
    const passage = fc.array(fc.array(word, { minLength: 1, maxLength: 5 }), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(passage, { maxLength: 5 }), (drawn) => {
        const texts = drawn.map((sentences) => sentences.map((words) => `${words.join(' ')}. `).join(''))
        const features = read('Who does engine repair and red paint?', evidenceOf(texts), ALIKE)
        const squares = features.questionTerms.reduce((sum, { idf }) => sum + idf ** 2, 0)
        const matches = features.chunks.flatMap(({ sentences }) =>
          sentences.map(({ held, squaredIdf }) => {
            const said = held.reduce((sum, at) => sum + features.questionTerms[at]!.idf, 0)
            return (Math.sqrt(squares / (squaredIdf() + squares)) * said) / features.idfMass
          }),
        )
        expect(sentenceMatch(features)).toBeCloseTo(Math.max(0, ...matches), 12)
      }),
    )
  })
})
