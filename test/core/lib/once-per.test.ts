import { expect, it, vi } from 'vitest'
import { oncePer } from '../../../src/core/lib/once-per.ts'

it('oncePer makes a value once for each object, and tries again after an error', () => {
  const make = vi.fn<(key: { readonly is: string }) => object>(({ is }) => ({ of: is }))
  const made = oncePer(make)
  const [a, same] = [{ is: 'a' }, { is: 'a' }]
  make.mockImplementationOnce(() => {
    throw new Error('not yet')
  })
  expect(() => made(a)).toThrow('not yet')
  expect(made(a)).toEqual({ of: 'a' })
  expect(made(a)).toBe(made(a))
  expect(made(same)).not.toBe(made(a))
  expect(make).toHaveBeenCalledTimes(3)
})
