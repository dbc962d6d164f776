import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('docs/reference/http-api.md has every error code, with the status it is answered with', () => {
  const codes = Array.from(read('src/errors.ts').matchAll(/^ {2}\| '(\w+)'/gm), ([, code]) => code!)
  const answered = Array.from(read('src/middleware/respond.ts').matchAll(/^ {2}(\w+): (\d{3}),$/gm), ([, code, status]) => [
    code!,
    status!,
  ])
  expect(codes.length).toBeGreaterThan(50)
  expect(answered.map(([code]) => code).sort()).toEqual([...codes].sort())

  const rows = read('docs/reference/http-api.md').matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (\d{3}) \|/gm)
  const told = Array.from(rows, ([, names, status]) => names!.split(', ').map((name) => [name.slice(1, -1), status!]))
  expect(Object.fromEntries(told.flat())).toEqual(Object.fromEntries(answered))
})
