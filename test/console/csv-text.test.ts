/** CSV as people open it: in spreadsheets, which calculate what looks like a formula. */
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvCell, csvText } from '../../packages/console/src/api/wire.ts'

it.each([
  ['=1+1', `'=1+1`],
  ['@x', `'@x`],
  ['＝1', `'＝1`],
  ['a;=1+1', `"a;'=1+1"`],
  ['a; "=1+1"', `"a; ""'=1+1"""`],
  ['a\t-1', `"a\t'-1"`],
  ['a\n+1', `"a\n'+1"`],
  ['a-1 = b', 'a-1 = b'],
  [-1, '-1'],
  [{ a: [1, -1] }, '"{""a"":[1,-1]}"'],
  [null, ''],
])('writes %j as it may stand in a spreadsheet', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})

it('has no cell that is calculated, whichever separator a spreadsheet takes', () => {
  const text = fc.string({ unit: fc.constantFrom(...'=+-@;,\t\r\n"\'a1 ') })
  fc.assert(
    fc.property(text, text, (a, b) => {
      const written = csvText(['a', 'b'], [{ a, b }])
      for (const separator of [/[;\r\n]/, /[\t\r\n]/]) {
        for (const cell of written.split(separator)) expect(cell).not.toMatch(/^ *"{0,2}[=+\-@]/)
      }
    }),
  )
})
