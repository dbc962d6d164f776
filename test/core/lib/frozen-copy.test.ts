import { describe, expect, it } from 'vitest'
import { frozenCopy } from '../../../src/core/lib/frozen-copy.ts'

describe('frozenCopy', () => {
  it('copies lists and plain objects at any depth, and freezes only the copies', () => {
    const bare = Object.assign(Object.create(null) as Record<string, unknown>, { deep: [1] })
    const value = { text: 'a', none: null, missing: undefined, list: [{ at: 1 }, null], bare }
    const copy = frozenCopy(value)
    expect(copy).toEqual(value)
    for (const [one, other] of [
      [copy, value],
      [copy.list, value.list],
      [copy.list[0], value.list[0]],
      [copy.bare, value.bare],
      [copy.bare['deep'], value.bare['deep']],
    ]) {
      expect(one).not.toBe(other)
      expect([Object.isFrozen(one), Object.isFrozen(other)]).toEqual([true, false])
    }
  })

  it('keeps values that are not plain data as they are', () => {
    const date = new Date(0)
    const map = new Map([['a', { b: 1 }]])
    const copy = frozenCopy({ date, map })
    expect([copy.date, copy.map]).toEqual([date, map])
    expect(copy.date).toBe(date)
    expect([Object.isFrozen(date), frozenCopy(7), frozenCopy(null)]).toEqual([false, 7, null])
  })

  it('copies a member called __proto__ as a member', () => {
    const copy = frozenCopy(JSON.parse('{"__proto__":{"admin":true}}') as Record<string, unknown>)
    expect([Object.keys(copy), copy['admin']]).toEqual([['__proto__'], undefined])
  })
})
