import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, isExact, isWellFormed, lengthPrefixed } from '../../../src/core/lib/canonical.ts'
import type { Json } from '../../../src/core/lib/json.ts'
import { anyText } from '../../fixtures/any-text.ts'

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
const part = fc.oneof(anyText({ maxLength: 6 }), fc.constantFrom('', ':', '1:', '0:', '1:a', '2:1:'))

/** Reads what `lengthPrefixed` wrote, so that nothing can have been lost. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length;) {
    const colon = text.indexOf(':', at)
    const end = colon + 1 + Number(text.slice(at, colon))
    parts.push(text.slice(colon + 1, end))
    at = end
  }
  return parts
}

describe('lengthPrefixed', () => {
  it('can be parsed back for any parts, so that no two lists give the same text', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        expect(partsOf(lengthPrefixed(parts))).toEqual(parts)
      }),
    )
  })

  it.each([
    [
      ['ab', ''],
      ['a', 'b'],
    ],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    [[''], []],
    [['1:a'], ['a']],
  ])('distinguishes %j from %j', (a, b) => {
    expect(lengthPrefixed(a)).not.toBe(lengthPrefixed(b))
  })
})

describe('canonicalJson', () => {
  it('parses to the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('does not depend on the order of keys', () => {
    const entries = fc.uniqueArray(fc.tuple(fc.string({ maxLength: 4 }), json), { selector: ([key]) => key })
    fc.assert(
      fc.property(entries, (members) => {
        const forwards = Object.fromEntries(members)
        const backwards = Object.fromEntries([...members].reverse())
        expect(canonicalJson({ outer: forwards })).toBe(canonicalJson({ outer: backwards }))
      }),
    )
  })

  it('gives different texts for different values', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
        expect(canonicalJson(a) === canonicalJson(b)).toBe(same)
      }),
    )
  })

  it('sorts keys by code unit, omits undefined members, and writes no spaces', () => {
    const value = { b: 1, a: [true, null, 'x'], B: { z: 0, undefinedMember: undefined as unknown as Json } }
    expect(canonicalJson(value)).toBe('{"B":{"z":0},"a":[true,null,"x"],"b":1}')
    expect(canonicalJson(undefined)).toBe('null')
  })

  it('keeps a member named __proto__', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"admin":true}}') as Json)).toBe('{"__proto__":{"admin":true}}')
  })
})

describe('isWellFormed', () => {
  it.each(['{"a":[1,null,true,"é😀"],"b":{}}', '[]', 'null', '"x"', '-0', '1e308'])('returns true for %s', (text) => {
    expect(isWellFormed(JSON.parse(text))).toBe(true)
  })

  it.each(['1e400', '-1e400', '[1,1e400]', '{"a":{"b":-1e400}}', '"\\ud800"', '["\\udc00x"]', '{"\\ud800":1}'])(
    'returns false for %s',
    (text) => {
      expect(isWellFormed(JSON.parse(text))).toBe(false)
    },
  )
})

describe('isExact', () => {
  it.each(['{"a":[9007199254740991,null],"b":"9007199254740992"}', '-9007199254740991', '0.5', '[]', 'null'])(
    'returns true for %s',
    (text) => {
      expect(isExact(JSON.parse(text))).toBe(true)
    },
  )

  it.each(['9007199254740992', '[-9007199254740993]', '{"a":{"b":1e400}}'])('returns false for %s', (text) => {
    expect(isExact(JSON.parse(text))).toBe(false)
  })
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => ({ key, member: sorted(member) }))
    .concat({ key: 'end of an object', member: null })
}
