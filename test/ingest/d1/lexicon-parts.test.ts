import { describe, expect, it } from 'vitest'
import { lexiconIdPrefix, partsOf } from '../../../packages/ingest/src/d1/lexicon-parts.ts'

describe('partsOf', () => {
  it.each([
    ['', 3, ['']],
    ['abc', 3, ['abc']],
    ['abcd', 3, ['abc', 'd']],
    ['abcdef', 3, ['abc', 'def']],
    ['ab🗝cd', 3, ['ab', '🗝c', 'd']],
    ['🗝🗝', 2, ['🗝', '🗝']],
  ])('splits %j into at most %i characters each, never within a character', (text, most, parts) => {
    expect(partsOf(text, most)).toEqual(parts)
  })
})

describe('lexiconIdPrefix', () => {
  it('differs between tenants and collections', () => {
    const prefixes = [lexiconIdPrefix('a', 'bc'), lexiconIdPrefix('ab', 'c'), lexiconIdPrefix('a', 'b')]
    expect(new Set(prefixes).size).toBe(3)
  })
})
