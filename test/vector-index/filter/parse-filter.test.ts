import { describe, expect, test } from 'vitest'
import { FILTER_LIMITS, filterCondition } from '../../../packages/vector-index/src/filter/filter-condition.ts'

describe('parsing a filter', () => {
  test.each([
    ["country='Turkey'", "country = 'Turkey'"],
    ["a = ''", 'a = ""'],
    ['a=TRUE aNd b!=False', 'a = 1 AND b != 0'],
    ['a = 1 OR b = 2 AND c = 3', 'a = 1 OR (b = 2 AND c = 3)'],
    ['a = 1 AND b = 2 OR c = 3', '(a = 1 AND b = 2) OR c = 3'],
    ['((a = 1))', 'a = 1'],
    ['a < -1.50', 'a < -1.5'],
    ['a >= 1e3', 'a >= 1000'],
    ['a <= 1E-7', 'a <= 0.0000001'],
    ['a > 007', 'a > 7'],
    ['a[007] = 1', 'a[7] = 1'],
    ["city not GLOB'A*'", "city NOT GLOB 'A*'"],
    ["a IN('x',1,true)", "a IN ('x', 1, TRUE)"],
    ['a NOT IN ( 1 )', 'a NOT IN (1)'],
    ['has field a', 'HAS FIELD a'],
    ['in.x = 1 AND fields = 2', 'in.x=1 and fields=2'],
    ['a-b#c = -1', 'a-b#c=-1'],
  ])('%s means %s', (text, same) => expect(filterCondition(text)).toBe(filterCondition(same)))

  test.each([
    ['a = 1 AND (b = 2 OR c = 3)', 'a = 1 AND b = 2 OR c = 3'],
    ['a.0 = 1', 'a[0] = 1'],
    ['a.b[0][#-1].c = 1', 'a.b[0][1].c = 1'],
  ])('%s does not mean %s', (text, other) => expect(filterCondition(text)).not.toBe(filterCondition(other)))

  test.each([
    ["category IN ['x'] AND b = 1", "1:12 token recognition error at: '['"],
    ['age = [object Object]', "1:6 token recognition error at: '['"],
    ["a = 'x", "1:4 token recognition error at: ''x'"],
    ["a = 'x\0'", "1:4 token recognition error at: ''x\0''"],
    ["a = '\ud800'", "1:4 token recognition error at: ''\ud800''"],
    ['a = 1;', "1:5 token recognition error at: ';'"],
    ['a = +1', "1:4 token recognition error at: '+'"],
    ['a ! 1', "1:2 token recognition error at: '!'"],
    ['a = .5', "1:4 token recognition error at: '.'"],
    ['a = \u{1F600}', "1:4 token recognition error at: '\u{1F600}'"],
    ['', "1:0 mismatched input '<EOF>' expecting an identifier"],
    [' \n ', "2:1 mismatched input '<EOF>' expecting an identifier"],
    ['a', "1:1 mismatched input '<EOF>' expecting an operator"],
    ["a '=' 1", "1:2 mismatched input ''='' expecting an operator"],
    ['a b', "1:2 mismatched input 'b' expecting an operator"],
    ['a AND b = 1', "1:2 mismatched input 'AND' expecting an operator"],
    ['a NOT = 1', "1:6 mismatched input '=' expecting GLOB, IN or CONTAINS"],
    ['a = b', "1:4 mismatched input 'b' expecting a string, a number, true or false"],
    ['a =', "1:3 mismatched input '<EOF>' expecting a string, a number, true or false"],
    ["a < '1'", "1:4 mismatched input ''1'' expecting a number"],
    ['a < true', "1:4 mismatched input 'true' expecting a number"],
    ['a = 1e999', '1:4 a number out of range'],
    ['a GLOB 1', "1:7 mismatched input '1' expecting a string"],
    ['a IN ()', "1:6 mismatched input ')' expecting a string, a number, true or false"],
    ['a IN (1', "1:7 mismatched input '<EOF>' expecting ')'"],
    ["a IN '(' 1 )", "1:5 mismatched input ''('' expecting '('"],
    ['(a = 1', "1:6 mismatched input '<EOF>' expecting ')'"],
    ['a = 1)', "1:5 mismatched input ')' expecting <EOF>"],
    ['a = 1 b = 2', "1:6 mismatched input 'b' expecting <EOF>"],
    ['a = 1\nAND\n  or = 2', "3:2 mismatched input 'or' expecting an identifier"],
    [') a = 1)', "1:0 mismatched input ')' expecting an identifier"],
    ["'(' a = 1)", "1:0 mismatched input ''('' expecting an identifier"],
    ["a = 1 'OR' b = 2", "1:6 mismatched input ''OR'' expecting <EOF>"],
    ['NOT a = 1', "1:0 mismatched input 'NOT' expecting an identifier"],
    ['HAS a', "1:4 mismatched input 'a' expecting FIELD"],
    ["'a' = 1", "1:0 mismatched input ''a'' expecting an identifier"],
    ...['a..b', 'a.', 'a[', 'a[0]]', 'a[]', 'a[x]', 'a[-1]', 'a[#]', 'a.[0]', 'a[0]b', 'a[#1]'].map(
      (path): [string, string] => [
        `${path} = 1`,
        `1:0 mismatched input '${path}' expecting an identifier such as a.b, a[0] or a[#-1]`,
      ],
    ),
  ])('rejects %j with line and column', (text, problem) => {
    expect(() => filterCondition(text)).toThrow(
      expect.objectContaining({ status: 422, message: `Invalid filter. At line ${problem}` }),
    )
  })
})

describe('the size of a filter', () => {
  const { characters, sqlBytes, depth, terms, listed, patternBytes } = FILTER_LIMITS
  const nested = (times: number) => `${'('.repeat(times)}a = 1${')'.repeat(times)}`
  const joined = (times: number) => Array.from({ length: times }, () => 'a = 1').join(' AND ')
  const list = (times: number) => `a IN (${Array.from({ length: times }, () => 1).join()})`
  const globbed = (times: number) => `a GLOB 'a beginning may be as long as any other text: ${'?'.repeat(times)}'`
  const compiled = (bytes: number) => `a = '${'漢'.repeat(29_000)}${'x'.repeat(bytes - 87_000)}'`
  const room = sqlBytes - Buffer.byteLength(filterCondition("a = ''"))

  test.each([
    ['bytes of SQL', compiled(room), compiled(room + 1), 'It becomes more than 90000 bytes of SQL'],
    ['characters', 'a = 1'.padEnd(characters), 'a = 1'.padEnd(characters + 1), 'It is longer than 65536 characters'],
    ['nested parentheses', nested(depth), nested(depth + 1), 'At line 1:16 more than 16 nested parentheses'],
    ['comparisons', joined(terms), joined(terms + 1), 'At line 1:2560 more than 256 comparisons'],
    ['listed values', list(listed), list(listed + 1), 'At line 1:2006 more than 1000 listed values'],
    [
      'pattern',
      globbed(patternBytes),
      globbed(patternBytes + 1),
      'At line 1:7 a pattern of more than 50 bytes from its first *, ? or [ on',
    ],
  ])('has a limit for %s', (_name, largest, larger, problem) => {
    expect(() => filterCondition(largest)).not.toThrow()
    expect(() => filterCondition(larger)).toThrow(`Invalid filter. ${problem}`)
  })
})
