import { describe, expect, it } from 'vitest'
import { createRecent } from '../../../src/core/text/recent.ts'

describe('createRecent', () => {
  it.each([1, 3, 4, 5, 6, 7, 20])('of %i stored keys remembers the last three, and six at most', (count) => {
    const recent = createRecent<number, string>(3)
    for (let key = 1; key <= count; key++) {
      recent.keep(key, 'first')
      recent.keep(key, 'last')
    }
    const known = Array.from({ length: count }, (_, at) => recent.get(count - at)).filter(
      (value) => value !== undefined,
    )
    expect(known.length).toBeGreaterThanOrEqual(Math.min(count, 3))
    expect(known.length).toBeLessThanOrEqual(6)
    expect(new Set(known)).toEqual(new Set(['last']))
  })

  it('drops the oldest keys with the first beyond twice its size', () => {
    const recent = createRecent<number, string>(3)
    for (let key = 1; key <= 7; key++) recent.keep(key, 'kept')
    expect(recent.get(1)).toBeUndefined()
    expect(recent.get(4)).toBe('kept')
  })

  it('drops nothing for lookups of unknown keys', () => {
    const recent = createRecent<number, string>(3)
    recent.keep(1, 'kept')
    for (let key = 2; key < 20; key++) expect(recent.get(key)).toBeUndefined()
    expect(recent.get(1)).toBe('kept')
  })

  it('keeps a key that is looked up again', () => {
    const recent = createRecent<number, string>(3)
    recent.keep(-1, 'asked for')
    for (let key = 0; key < 20; key++) {
      recent.keep(key, 'not asked for')
      expect(recent.get(-1)).toBe('asked for')
    }
    expect(recent.get(0)).toBeUndefined()
  })
})
