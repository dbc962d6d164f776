import { describe, expect, it } from 'vitest'
import { buildLexicon, EMPTY_LEXICON } from '../../../src/core/lexicon.ts'
import { read } from '../../../src/core/reading.ts'
import { questionLikelihood } from '../../../src/core/signals/question-likelihood.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'

/** Eight terms in four chunks; `engin` in two of them, `start` in one: rates 2.5/8 and 1.5/8. */
const LEXICON = buildLexicon(['Engine start.', 'Engine stop.', 'Red paint.', 'Blue paint.'])
const [ENGIN, START] = [2.5 / 8, 1.5 / 8]
const gain = (engin: number, start: number): number =>
  Math.log((0.7 * engin) / ENGIN + 0.3) + Math.log((0.7 * start) / START + 0.3)

const likelihood = (texts: readonly string[], lexicon = LEXICON): number =>
  questionLikelihood(read('Does the engine start?', evidenceOf(texts), lexicon))

describe('questionLikelihood', () => {
  it.each([
    ['the question itself', ['Engine start.'], 1],
    ['a chunk twice as long', ['Engine start. Red paint.'], gain(1 / 4, 1 / 4) / gain(1 / 2, 1 / 2)],
    // `start` and `starter` begin with five of seven letters in common.
    ['a relative of a missing term', ['Engine starter.'], gain(1 / 2, 5 / 7 / 2) / gain(1 / 2, 1 / 2)],
    ['the best of several chunks', ['Red paint.', 'Engine start.'], 1],
    ['nothing of the question', ['Red paint.'], 0],
    ['less than the collection gives', ['Engine stop.'], 0],
    ['no chunks', [], 0],
  ])('takes %s', (_, texts, expected) => {
    expect(likelihood(texts)).toBeCloseTo(expected, 12)
  })

  it('looks for beginnings in the three best chunks only', () => {
    // `startup` is no synonym in the table.
    expect(likelihood(['Red.', 'Red.', 'Engine startup.'])).toBeGreaterThan(0)
    expect(likelihood(['Red.', 'Red.', 'Red.', 'Engine startup.'])).toBe(0)
  })

  it('takes a synonym for .3 of a missing term, in the five best chunks', () => {
    const expected = gain(1 / 2, 0.3 / 2) / gain(1 / 2, 1 / 2)
    expect(expected).toBeGreaterThan(0)
    expect(likelihood(['Engine begins.', 'Red.', 'Red.', 'Red.'])).toBeCloseTo(expected, 12)
    expect(likelihood(['Red.', 'Red.', 'Red.', 'Red.', 'Engine begins.'])).toBeCloseTo(expected, 12)
    expect(likelihood(['Red.', 'Red.', 'Red.', 'Red.', 'Red.', 'Engine begins.'])).toBe(0)
  })

  it('knows no relatives of short terms, nor terms that only begin with the same letters', () => {
    const of = (question: string, text: string): number =>
      questionLikelihood(read(question, evidenceOf([text]), EMPTY_LEXICON))
    expect(of('car', 'cars carp')).toBeGreaterThan(0)
    expect(of('car', 'carp')).toBe(0)
    expect(of('station', 'statue')).toBe(0)
    expect(of('lobster', 'mobster')).toBe(0)
    // Four letters are enough, and so are three of five in common.
    expect(of('boat', 'boatel')).toBeGreaterThan(0)
    expect(of('motor', 'mot')).toBeGreaterThan(0)
  })

  it('works without a lexicon', () => {
    expect(likelihood(['Engine start.'], EMPTY_LEXICON)).toBeCloseTo(1, 12)
    expect(likelihood(['Engine start. Red paint.'], EMPTY_LEXICON)).toBeLessThan(1)
  })
})
