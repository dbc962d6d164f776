import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lifetimePlot } from '../../bench/lifetime-plot.ts'

test('docs/images/lifetimes.svg shows the current lifetimes', () => {
  // Drawn by `npm run bench -- lifetime-plot`.
  expect(readFileSync('docs/images/lifetimes.svg', 'utf8')).toBe(lifetimePlot())
})
