/** CSV as people open it: in spreadsheets, which calculate what looks like a formula. */
import * as fc from 'fast-check'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { respondWithError } from '../../src/middleware/respond.ts'
import { readLimit, WHOLE } from '../../packages/console/src/api/read-limit.ts'
import { csv, csvCell, csvText } from '../../packages/console/src/api/wire.ts'
import { CONSOLE_STATUS } from '../../packages/console/src/errors.ts'

it.each([
  ['=1+1', `'=1+1`],
  ['@x', `'@x`],
  ['＝1', `'＝1`],
  ['a;=1+1', `"a;'=1+1"`],
  ['a; "=1+1"', `"a; ""'=1+1"""`],
  ['a\t-1', `"a\t'-1"`],
  ['a\n+1', `"a\n'+1"`],
  ['a-1 = b', 'a-1 = b'],
  ['\0=1\0', '\ufffd=1\ufffd'],
  [-1, '-1'],
  [{ a: [1, -1] }, '"{""a"":[1,-1]}"'],
  [null, ''],
])('writes %j so that a spreadsheet does not evaluate it', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})

it('contains no cell that a spreadsheet evaluates, with any separator', () => {
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

it('a table of more than ten thousand rows is rejected, because a part would look like the whole', async () => {
  // Of a store that has as many rows as it is asked for.
  const app = new Hono().get('/', (c) =>
    csv(
      c,
      'labels',
      ['at'],
      Array.from({ length: readLimit(c, WHOLE) }, (_, at) => ({ at })),
    ),
  )
  app.onError((thrown, c) => respondWithError(c, thrown, CONSOLE_STATUS))
  const whole = await app.request('/')
  expect([whole.status, await whole.json()]).toMatchObject([
    422,
    {
      error: {
        code: 'range_too_large',
        param: 'from',
        message: 'There are more than 10000 rows: name a limit or a shorter period',
      },
    },
  ])
  const part = await (await app.request('/?limit=1000')).text()
  expect(part.trimEnd().split('\r\n')).toHaveLength(1 + 1000)
})
