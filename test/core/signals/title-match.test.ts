import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { aPassage } from '../../fixtures/evidence.ts'
import { anyText } from '../../fixtures/any-text.ts'
import { measure } from '../../fixtures/english.ts'

const titled = (...titles: (string | undefined)[]): number => {
  const chunks = titles.map((title, at) => ({
    ...aPassage(`c${at}`, title === undefined ? {} : { title }),
    scores: {},
  }))
  const evidence = { rankedBy: 'convex', chunks, kinds: [], dropped: 0 } as const
  return measure('How does the engine start?', evidence, EMPTY_LEXICON).titleMatch
}

describe('titleMatch', () => {
  it.each([
    ['the title named in full', ['Starting engines'], 1],
    ['half of a title', ['The engine room'], 0.5],
    ['a word repeated in a title', ['Engine, engines, rooms'], 0.5],
    ['another title', ['Paint'], 0],
    ['the best chunk only', ['Paint', 'Engine'], 0],
    ['a chunk without a title, by a default', [undefined], 0.2],
    ['a title without terms, by the same default', ['About it'], 0.2],
    ['no chunks, by the same default', [], 0.2],
  ])('is as computed for %s', (_, titles, match) => {
    expect(titled(...titles)).toBe(match)
  })

  it('lies within 0..1 for any title', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 40 }), (title) => {
        const match = titled(title)
        expect(match >= 0 && match <= 1).toBe(true)
      }),
    )
  })
})
