import { describe, expect, it } from 'vitest'
import { cacheDirectives, directiveSeconds } from '../../../src/core/policy/cache-control.ts'
import { growth, PROPORTION } from '../../growth.ts'

describe('a field Cache-Control', () => {
  it.each([
    ['one directive that stands again and again', 'a,', ''],
    ['blanks before what cannot be read', ' ', '"'],
  ])('is read in proportion to its length: %s', async (_, unit, end) => {
    const read = (text: string): unknown => cacheDirectives(`a,${text.slice(1)}${end}`)
    expect(await growth(read, unit, 32_000)).toBeLessThan(PROPORTION)
  })

  it('names the fewest seconds of as many as there are', () => {
    const directives = cacheDirectives(`${'max-age=60,'.repeat(200_000)}max-age=5`)!
    expect(directiveSeconds(directives, 'max-age')).toBe(5)
  })
})
