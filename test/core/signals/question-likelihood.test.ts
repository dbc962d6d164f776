import { describe, expect, it } from 'vitest'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { questionLikelihood } from '../../../src/core/signals/question-likelihood.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'
import { buildLexicon, read } from '../../fixtures/english.ts'

/** Four chunks of two terms, which count as a hundred; `engin` in two of them, `repair` in one: rates 2.5/200 and 1.5/200. */
const LEXICON = buildLexicon(['Engine repair.', 'Engine stop.', 'Red paint.', 'Blue paint.'])
const [ENGIN, REPAIR] = [2.5 / 200, 1.5 / 200]
const gain = (engin: number, repair: number): number =>
  Math.log((0.7 * engin) / ENGIN + 0.3) + Math.log((0.7 * repair) / REPAIR + 0.3)

const likelihood = (texts: readonly string[], lexicon = LEXICON): number =>
  questionLikelihood(read('Who does engine repair?', evidenceOf(texts), lexicon))

describe('questionLikelihood', () => {
  it.each([
    ['the question itself', ['Engine repair.'], 1],
    ['a chunk twice as long', ['Engine repair. Red paint.'], gain(1 / 4, 1 / 4) / gain(1 / 2, 1 / 2)],
    // `repair` and `repairman` begin with six of nine letters in common.
    ['a term near a missing one', ['Engine repairman.'], gain(1 / 2, 6 / 9 / 2) / gain(1 / 2, 1 / 2)],
    ['the best of several chunks', ['Red paint.', 'Engine repair.'], 1],
    ['nothing of the question', ['Red paint.'], 0],
    ['half of the question', ['Engine stop.'], gain(1 / 2, 0) / gain(1 / 2, 1 / 2)],
    ['no chunks', [], 0],
  ])('is as computed for %s', (_, texts, expected) => {
    expect(likelihood(texts)).toBeCloseTo(expected, 12)
  })

  it('compares beginnings of terms only in the three best chunks', () => {
    const alone = likelihood(['Red.', 'Blue.', 'Green.', 'Engine stop.'])
    expect(likelihood(['Red.', 'Blue.', 'Engine repairman.'])).toBeGreaterThan(alone)
    expect(likelihood(['Red.', 'Blue.', 'Green.', 'Engine repairman.'])).toBeCloseTo(alone, 12)
  })

  it('ignores beginnings of short terms, and beginnings with too few letters in common', () => {
    const of = (question: string, text: string): number =>
      questionLikelihood(read(question, evidenceOf([text]), buildLexicon([question])))
    expect(of('car', 'cars carp')).toBeGreaterThan(0)
    expect(of('car', 'carp')).toBe(0)
    expect(of('station', 'statue')).toBe(0)
    expect(of('lobster', 'mobster')).toBe(0)
    // Four letters are enough, and so are three of five in common.
    expect(of('boat', 'boatel')).toBeGreaterThan(0)
    expect(of('motor', 'mot')).toBeGreaterThan(0)
  })

  it('reads only the first five chunks', () => {
    const others = ['Red.', 'Blue paint.', 'Green grass.', 'White snow.']
    expect(likelihood([...others, 'Engine repair.'])).toBeCloseTo(1, 12)
    expect(likelihood([...others, 'Grey stone.', 'Engine repair.'])).toBe(0)
  })

  it('is 0 when a chunk makes the question no likelier than the collection does', () => {
    // The one chunk of its lexicon is long and holds every term, so that half of the question loses more than it gains.
    const texts = Array.from({ length: 100 }, () => 'Engine repair is red paint.')
    expect(likelihood(['Engine, red paint, blue paint, green paint.'], buildLexicon(texts))).toBe(0)
  })

  it('works without a lexicon', () => {
    expect(likelihood(['Engine repair.'], EMPTY_LEXICON)).toBeCloseTo(1, 12)
    expect(likelihood(['Engine repair. Red paint.'], EMPTY_LEXICON)).toBeLessThan(1)
  })
})
