import { expect, it } from 'vitest'
import { memberAt } from '../../../src/core/lib/guards.ts'

it.each([
  [{ a: { b: 0 } }, ['a', 'b'], 0],
  [{ a: { b: null } }, ['a', 'b'], null],
  [{ a: 1 }, [], { a: 1 }],
  [{ a: null }, ['a', 'b'], undefined],
  [{ a: ['b'] }, ['a', '0'], undefined],
  [{ a: 'text' }, ['a', 'length'], undefined],
  [{}, ['constructor', 'name'], undefined],
  [undefined, ['a'], undefined],
])('memberAt: in %j, the path %j leads to %j', (value, path, member) => {
  expect(memberAt(value, ...path)).toEqual(member)
})
