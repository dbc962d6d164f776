import { describe, expect, it } from 'vitest'
import { buildLexicon, EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { read } from '../../../src/core/signals/text-features.ts'
import { questionLikelihood } from '../../../src/core/signals/question-likelihood.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'

/** Eight terms in four chunks; `engin` in two of them, `repair` in one: rates 2.5/8 and 1.5/8. */
const LEXICON = buildLexicon(['Engine repair.', 'Engine stop.', 'Red paint.', 'Blue paint.'])
const [ENGIN, REPAIR] = [2.5 / 8, 1.5 / 8]
const gain = (engin: number, repair: number): number =>
  Math.log((0.7 * engin) / ENGIN + 0.3) + Math.log((0.7 * repair) / REPAIR + 0.3)

const likelihood = (texts: readonly string[], lexicon = LEXICON): number =>
  questionLikelihood(read('Who does engine repair?', evidenceOf(texts), lexicon))

describe('questionLikelihood', () => {
  it.each([
    ['the question itself', ['Engine repair.'], 1],
    ['a chunk twice as long', ['Engine repair. Red paint.'], gain(1 / 4, 1 / 4) / gain(1 / 2, 1 / 2)],
    // `repair` and `repairman` begin with six of nine letters in common.
    ['a relative of a missing term', ['Engine repairman.'], gain(1 / 2, 6 / 9 / 2) / gain(1 / 2, 1 / 2)],
    ['the best of several chunks', ['Red paint.', 'Engine repair.'], 1],
    ['nothing of the question', ['Red paint.'], 0],
    ['less than the collection gives', ['Engine stop.'], 0],
    ['no chunks', [], 0],
  ])('takes %s', (_, texts, expected) => {
    expect(likelihood(texts)).toBeCloseTo(expected, 12)
  })

  it('looks for beginnings in the three best chunks only', () => {
    // `repairman` is no synonym in the table.
    expect(likelihood(['Red.', 'Red.', 'Engine repairman.'])).toBeGreaterThan(0)
    expect(likelihood(['Red.', 'Red.', 'Red.', 'Engine repairman.'])).toBe(0)
  })

  it('takes a synonym for .3 of a missing term, in the five best chunks', () => {
    const expected = gain(1 / 2, 0.3 / 2) / gain(1 / 2, 1 / 2)
    expect(expected).toBeGreaterThan(0)
    expect(likelihood(['Engine fixes.', 'Red.', 'Red.', 'Red.'])).toBeCloseTo(expected, 12)
    expect(likelihood(['Red.', 'Red.', 'Red.', 'Red.', 'Engine fixes.'])).toBeCloseTo(expected, 12)
    expect(likelihood(['Red.', 'Red.', 'Red.', 'Red.', 'Red.', 'Engine fixes.'])).toBe(0)
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

  it('takes the first five chunks', () => {
    const others = Array.from({ length: 4 }, () => 'Red paint.')
    expect(likelihood([...others, 'Engine repair.'])).toBeCloseTo(1, 12)
    expect(likelihood([...others, 'Red paint.', 'Engine repair.'])).toBe(0)
  })

  it('counts what is gained by a found name one and a quarter times, what is lost by a missing one twice and a half', () => {
    // The one chunk of its lexicon is long, so that a missing term costs little and a found one gains much.
    const long = buildLexicon(['Engine repair is red paint, blue paint, green paint, white paint, grey paint.'])
    const of = (question: string): number => questionLikelihood(read(question, evidenceOf(['Engine.']), long))
    const [found, missing] = [Math.log(0.7 / (1.5 / 12) + 0.3), Math.log(0.3)]
    const whole = Math.log(0.35 / (1.5 / 12) + 0.3)
    expect(of('my engine repair')).toBeCloseTo((found + missing) / (2 * whole), 12)
    expect(of('my Engine repair')).toBeCloseTo((1.25 * found + missing) / (2.25 * whole), 12)
    expect(of('my engine Repair')).toBe(0)
    expect(of('my Engine Repair')).toBe(0)
  })

  it('works without a lexicon', () => {
    expect(likelihood(['Engine repair.'], EMPTY_LEXICON)).toBeCloseTo(1, 12)
    expect(likelihood(['Engine repair. Red paint.'], EMPTY_LEXICON)).toBeLessThan(1)
  })
})
