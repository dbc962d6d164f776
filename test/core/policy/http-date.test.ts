import { expect, it } from 'vitest'
import { httpDateMs } from '../../../src/core/policy/http-date.ts'

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5)

it.each([
  ['Fri, 02 Jan 2026 03:05:05 GMT', Date.UTC(2026, 0, 2, 3, 5, 5)],
  ['Friday, 02-Jan-26 03:05:05 GMT', Date.UTC(2026, 0, 2, 3, 5, 5)],
  ['Wednesday, 14-Jan-26 03:05:05 GMT', Date.UTC(2026, 0, 14, 3, 5, 5)],
  ['Fri Jan  2 03:05:05 2026', Date.UTC(2026, 0, 2, 3, 5, 5)],
  ['Wed Jan 14 03:05:05 2026', Date.UTC(2026, 0, 14, 3, 5, 5)],
  // Fifty years ahead are not more than fifty.
  ['Thursday, 02-Jan-76 00:00:00 GMT', Date.UTC(2076, 0, 2)],
  ['Sunday, 02-Jan-77 00:00:00 GMT', Date.UTC(1977, 0, 2)],
  ['Thursday, 02-Jan-77 00:00:00 GMT', undefined],
  ['Sat, 02 Jan 2026 03:05:05 GMT', undefined],
  ['at Friday, 02-Jan-26 03:05:05 GMT', undefined],
  ['Fri Jan  2 03:05:05 2026 GMT', undefined],
  ['2026-01-02T03:05:05Z', undefined],
  ['', undefined],
])('%j is %s', (text, atMs) => {
  expect(httpDateMs(text, NOW_MS)).toBe(atMs)
})
