import { expect, it, vi } from 'vitest'
import { createSealer } from '../../src/adapters/answer-cache.ts'

it.each([[undefined], [new Uint8Array(32)]])('the last used key is hashed once, with secret %j', async (secret) => {
  const { address } = createSealer(secret)
  const spies = [vi.spyOn(crypto.subtle, 'digest'), vi.spyOn(crypto.subtle, 'sign')]
  const hashes = (): number => spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
  const first = await address('3:key')
  expect(await address('3:key')).toBe(first)
  expect(hashes()).toBe(1)
  for (let at = 0; at < 100; at++) expect(await address(`other ${at}`)).not.toBe(first)
  expect(await address('3:key')).toBe(first)
  expect(hashes()).toBe(102)
})
