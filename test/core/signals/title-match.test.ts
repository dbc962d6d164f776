import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { aPassage } from '../../fixtures/evidence.ts'
import { anyText } from '../../fixtures/any-text.ts'
import { measure } from '../../fixtures/english.ts'

const titled = (...titles: (string | undefined)[]): { titleMatch: number; topTitleTermCount: number } => {
  const chunks = titles.map((title, at) => ({
    ...aPassage(`c${at}`, title === undefined ? {} : { title }),
    scores: {},
  }))
  return measure('How does the engine start?', { rankedBy: 'convex', chunks, kinds: [], dropped: 0 }, EMPTY_LEXICON)
}

describe('titleMatch', () => {
  it.each([
    ['the title named in full', ['Starting engines'], 1, 2],
    ['half of it', ['The engine room'], 0.5, 2],
    ['a word of it twice as once', ['Engine, engines, rooms'], 0.5, 2],
    ['another title', ['Paint'], 0, 1],
    ['the best chunk, not the second', ['Paint', 'Engine'], 0, 1],
    ['no title', [undefined], 0, 0],
    ['a title without terms', ['About it'], 0, 0],
    ['no chunks', [], 0, 0],
  ])('takes %s', (_, titles, match, count) => {
    expect(titled(...titles)).toMatchObject({ titleMatch: match, topTitleTermCount: count })
  })

  it('lies within 0..1 for any title', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 40 }), (title) => {
        const { titleMatch, topTitleTermCount } = titled(title)
        expect(titleMatch >= 0 && titleMatch <= 1 && topTitleTermCount >= 0).toBe(true)
      }),
    )
  })
})
