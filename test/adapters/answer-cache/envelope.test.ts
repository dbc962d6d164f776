import { describe, expect, it, vi } from 'vitest'
import { createSealer } from '../../../src/adapters/answer-cache.ts'
import { aStoredAnswer } from '../../fixtures/decision.ts'

const SECRET = new TextEncoder().encode('a secret of thirty-two bytes ...')

describe('createSealer', () => {
  it.each([[undefined], [SECRET]])('hashes the last used key once, with secret %j', async (secret) => {
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

  it('opens what it sealed, under the same address only', async () => {
    const { address, seal, open } = createSealer(SECRET)
    const [at, other] = [await address('3:key'), await address('5:other')]
    const sealed = await seal(aStoredAnswer('3:key'), at)
    expect(await open(sealed, at)).toEqual(aStoredAnswer(at))
    expect(await open(sealed, other)).toBeNull()
  })

  it('opens nothing that was sealed with another secret, or without one', async () => {
    for (const other of [undefined, SECRET.map((byte) => byte + 1)]) {
      expect(
        await createSealer(SECRET).open(await createSealer(other).seal(aStoredAnswer('at'), 'at'), 'at'),
      ).toBeNull()
    }
  })

  it('keeps its secret when the given bytes change', async () => {
    const given = SECRET.slice()
    const { address } = createSealer(given)
    given.fill(0)
    expect(await address('3:key')).toBe(await createSealer(SECRET).address('3:key'))
  })

  it('writes no key into the store, and finds the other entry by the address in place of its key', async () => {
    const { address, seal, open } = createSealer(SECRET)
    const sealed = await seal(aStoredAnswer('8:question', { sameAs: '8:evidence' }), await address('8:question'))
    expect(sealed).not.toMatch(/8:question|8:evidence/)
    const { sameAs } = (await open(sealed, await address('8:question')))!
    expect(await address(sameAs!)).toBe(await address('8:evidence'))
  })

  it.each([
    ['', 'no JSON'],
    ['null', 'no object'],
    ['{"digest":1,"answer":"{}"}', 'a digest that is no text'],
    ['{"digest":"","answer":{}}', 'an answer that is no text'],
  ])('opens nothing of %s: %s', async (text) => {
    expect(await createSealer(undefined).open(text, 'at')).toBeNull()
  })

  it('opens no answer of another format', async () => {
    const { seal, open } = createSealer(undefined)
    const older = { ...aStoredAnswer('at'), schema: 1 as unknown as 2 }
    expect(await open(await seal(older, 'at'), 'at')).toBeNull()
  })

  it('rejects a secret of fewer than 32 bytes', () => {
    expect(() => createSealer(SECRET)).not.toThrow()
    expect(() => createSealer(SECRET.slice(1))).toThrow(
      expect.objectContaining({ code: 'secret_too_short', param: 'hmacKey', message: 'hmacKey needs 32 bytes' }),
    )
  })
})
