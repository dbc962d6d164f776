import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { MOST_TOKENS, reportedModel, reportedTokens } from '../../packages/models/src/reported-facts.ts'
import { anyText } from '../fixtures/any-text.ts'

it('returns whole token counts within bounds for any numbers', () => {
  fc.assert(
    fc.property(fc.double(), fc.double(), (input, output) => {
      const tokens = reportedTokens(input, output)
      if (tokens === undefined) expect([input, output]).toEqual([NaN, NaN])
      for (const count of Object.values<number>({ ...tokens })) {
        expect(Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS).toBe(true)
      }
    }),
  )
})

it('returns a model name of one line, well-formed and at most 200 characters', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 500 }), (name) => {
      const kept = reportedModel(name) ?? ''
      expect(kept.length).toBeLessThanOrEqual(200)
      expect(kept).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029]/u)
    }),
  )
})

it('makes one space of a run of line breaks and invisible characters, and none at the ends', () => {
  expect([' served\n', 'a\r\n\u2028b', '\u0000'].map(reportedModel)).toEqual(['served', 'a b', undefined])
})
