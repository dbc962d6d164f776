import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileGlob } from '../../../packages/vector-index/src/filter/glob.ts'

const sqliteGlob = (() => {
  const statement = new DatabaseSync(':memory:').prepare('SELECT ? GLOB ? AS matches')
  return (text: string, pattern: string) => statement.get(text, pattern)!['matches'] === 1
})()

test.each([
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['*', 'anything', true],
  ['**', 'anything', true],
  ['a*', 'A', false],
  ['?[sz]*[^m-z]', 'Istanbul', true],
  ['?[sz]*[^m-z]', 'Izmir', false],
  ['A*', 'Ankara', true],
  ['*a*b*c*', 'xxaxxbxxcxx', true],
  ['*a*b*c*', 'xxcxxbxxaxx', false],
  ['*ab', 'aab', true],
  ['a?c', 'ac', false],
  ['?', '😀', true],
  ['??', '😀', false],
  ['[😀-😃]', '😁', true],
  ['[!a]', '!', true],
  ['[!a]', 'b', false],
  ['[]]', ']', true],
  ['[]a]', 'a', true],
  ['[^]]', ']', false],
  ['[^]]', 'x', true],
  ['[]-a]', '_', false],
  ['[]-a]', '-', true],
  ['[-a]', '-', true],
  ['[a-]', '-', true],
  ['[a-c-e]', 'd', false],
  ['[a-c-e]', '-', true],
  ['[z-a]', 'm', false],
  ['[a^]', '^', true],
  ['[*?]', '*', true],
  ['[*?]', 'x', false],
  ['[[]', '[', true],
  ['[', '[', false],
  ['a[b', 'a[b', false],
  ['[]', '', false],
  ['\\*', '\\anything', true],
  ['.', 'x', false],
])('the pattern %j matches %j: %j, as in SQLite', (pattern, text, matches) => {
  expect(compileGlob(pattern)(text)).toBe(matches)
  expect(sqliteGlob(text, pattern)).toBe(matches)
})

test('any pattern matches what SQLite says, over more than one word of states too', () => {
  const letter = fc.constantFrom('a', 'b', 'c', '[', ']', '^', '-', 'é', '😀', '😃')
  const pattern = fc.array(fc.oneof(letter, fc.constantFrom('*', '?', '[a-c]', '[^b]', '[]^]', '[😀-😃]')), {
    maxLength: 12,
  })
  const text = fc.array(letter, { maxLength: 8 })
  const pad = fc.nat(70).map((times) => 'b'.repeat(times))
  let matched = 0
  fc.assert(
    fc.property(pattern, text, pad, fc.boolean(), (pieces, letters, prefix, same) => {
      const globbed = prefix + pieces.join('')
      const given = prefix + (same ? pieces.join('').replaceAll(/[*?]/g, 'c') : letters.join(''))
      const expected = sqliteGlob(given, globbed)
      expect(compileGlob(globbed)(given)).toBe(expected)
      if (expected) matched += 1
    }),
    { numRuns: 2000 },
  )
  expect(matched).toBeGreaterThan(100)
})

test('NUL ends no text', () => {
  expect(compileGlob('a')('a\0b')).toBe(false)
  expect(compileGlob('a?b')('a\0b')).toBe(true)
})

test('the hardest pattern takes time in proportion to the text', () => {
  const hardest = compileGlob(`${'*a'.repeat(127)}*b`)
  const stepsFor = (length: number) => {
    const text = 'a'.repeat(length)
    const began = performance.now()
    expect(hardest(text)).toBe(false)
    return performance.now() - began
  }
  stepsFor(48_000)
  // A metadata of 48 KB at most: tens of milliseconds on a slow machine, where trying every way would not end.
  expect(stepsFor(48_000)).toBeLessThan(500)
})
