import { expect, test } from 'vitest'
import { measureSizes } from '../../bench/sizes.ts'

test('no bundle is empty or larger than its limit', async () => {
  const sizes = await measureSizes()
  expect(sizes.length).toBeGreaterThanOrEqual(3)
  for (const { name, gzipped, limit } of sizes) {
    expect(gzipped, name).toBeGreaterThan(5000)
    expect(gzipped, `${name} has ${gzipped} bytes, its limit is ${limit}`).toBeLessThanOrEqual(limit)
  }
}, 120_000)
