import { expect, test } from 'vitest'
import { errorCodes } from './error-codes.ts'
import { read } from './pages.ts'

test('docs/reference/http-api.md has every error code, with the status it is answered with', () => {
  const tables = ['src/middleware/respond.ts', 'packages/console/src/errors.ts', 'workers/gate/errors.ts'].map(read).join('')
  const answered = Array.from(tables.matchAll(/^ {2}(\w+): (\d{3})(?: as \w+)?,$/gm), ([, code, status]) => [code!, status!])
  expect(answered.map(([code]) => code).sort()).toEqual(errorCodes().sort())

  const rows = read('docs/reference/http-api.md').matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (\d{3}) \|/gm)
  const told = Array.from(rows, ([, names, status]) => names!.split(', ').map((name) => [name.slice(1, -1), status!]))
  expect(Object.fromEntries(told.flat())).toEqual(Object.fromEntries(answered))
})

test('no code has two meanings: gate, console and ready Worker repeat none of each other', () => {
  expect(new Set(errorCodes()).size).toBe(errorCodes().length)
})
