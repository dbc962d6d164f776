import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base32, hex, sha256, utf8 } from '../../../src/core/lib/sha256.ts'
import { anyText } from '../../fixtures/any-text.ts'

const reference = (message: string | Uint8Array): string => createHash('sha256').update(message).digest('hex')

/** RFC 4648 by bits, the slow way. */
function referenceBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{5}/g) ?? []
  return groups.map((group) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(group, 2)]).join('')
}

describe('sha256', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('returns the digest that FIPS 180-4 prints for %j', (message, digest) => {
    expect(hex(sha256(message))).toBe(digest)
  })

  it('agrees with node:crypto at every length up to three blocks, where padding begins and ends', () => {
    for (let length = 0; length <= 192; length++) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 37 + length) & 255)
      expect(hex(sha256(bytes)), `${length} bytes`).toBe(reference(bytes))
    }
  })

  it('agrees with node:crypto on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(hex(sha256(bytes))).toBe(reference(bytes))
      }),
    )
  })

  it('agrees with node:crypto on any text, including astral characters and lone surrogates', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 150 }), (text) => {
        expect(hex(sha256(text))).toBe(reference(text))
      }),
    )
    for (const text of ['🜁', 'a😀b', '\ud83d', '\ude00x', '中文𠀀']) expect(hex(sha256(text))).toBe(reference(text))
  })

  it('hashes a message of a hundred kilobytes', () => {
    const text = 'é'.repeat(50_000)
    expect(hex(sha256(text))).toBe(reference(text))
  })
})

describe('utf8', () => {
  it('encodes as TextEncoder does, at the boundaries of each code length', () => {
    for (const text of [
      '\u007f\u0080\u07ff\u0800\uffff',
      '\u{10000}\u{10ffff}',
      '\ud800',
      '\udc00a',
      '\udfff',
      'a\ud83dz',
    ]) {
      expect([...utf8(text)]).toEqual([...new TextEncoder().encode(text)])
    }
  })
})

describe('hex and base32', () => {
  it('encode any bytes as Node and RFC 4648 do', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(hex(bytes)).toBe(Buffer.from(bytes).toString('hex'))
        expect(base32(bytes, 1000)).toBe(referenceBase32(bytes))
      }),
    )
  })

  it('returns the base32 of RFC 4648, section 10, in lower case without padding or a last partial group', () => {
    expect(base32(utf8('fooba'), 100)).toBe('mzxw6ytb')
    expect(base32(utf8('foobar'), 100)).toBe('mzxw6ytbo')
  })

  it('keeps at most the given number of characters', () => {
    expect(base32(sha256('x'), 26)).toHaveLength(26)
    expect(base32(sha256('x'), 32)).toMatch(/^[a-z2-7]{32}$/)
  })
})
