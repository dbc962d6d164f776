import { describe, expect, it } from 'vitest'
import { buildLexicon, EMPTY_LEXICON } from '../../../src/core/lexicon.ts'
import { read } from '../../../src/core/reading.ts'
import { sentenceCosine } from '../../../src/core/signals/sentence-cosine.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'

const cosine = (texts: readonly string[], lexicon = EMPTY_LEXICON): number =>
  sentenceCosine(read('Does the engine start?', evidenceOf(texts), lexicon))

describe('sentenceCosine', () => {
  // Without a lexicon all terms weigh alike: shared ÷ √(2 · (terms of the sentence + 4)).
  it.each([
    ['both terms and no other', ['Engine start.'], 2 / Math.sqrt(2 * 6)],
    ['both terms among four', ['Engine start, red paint.'], 0.5],
    ['a term twice as once', ['Engine start, engine start, red paint.'], 0.5],
    ['one of two', ['Engine stop.'], 1 / Math.sqrt(2 * 6)],
    ['a synonym for .3 of a term', ['Engine begins.'], 1.3 / Math.sqrt(2 * 6)],
    ['no synonym of what it holds', ['Start begins.'], 1 / Math.sqrt(2 * 6)],
    ['a sentence of synonyms alone', ['Begin.'], 0.3 / Math.sqrt(2 * 5)],
    ['the better of two sentences', ['Engine stop, red paint. Start.'], 1 / Math.sqrt(2 * 5)],
    ['none', ['Red paint.'], 0],
    ['no chunks', [], 0],
  ])('takes %s', (_, texts, expected) => {
    expect(cosine(texts)).toBeCloseTo(expected, 12)
  })

  it('looks into the five best chunks only', () => {
    const fillers = Array.from({ length: 4 }, () => 'Red paint.')
    expect(cosine([...fillers, 'Engine start.'])).toBeGreaterThan(0)
    expect(cosine([...fillers, 'Red paint.', 'Engine start.'])).toBe(0)
  })

  it('weighs a term by its idf', () => {
    const lexicon = buildLexicon(['Engine start.', 'Engine stop.', 'Red paint.', 'Blue paint.'])
    const [engin, start, stop] = [Math.log(2), Math.log(10 / 3), Math.log(10 / 3)]
    const squares = engin ** 2 + start ** 2
    expect(cosine(['Engine stop.'], lexicon)).toBeCloseTo(
      engin ** 2 / Math.sqrt(squares * (engin ** 2 + stop ** 2 + 2 * squares)),
      12,
    )
  })
})
