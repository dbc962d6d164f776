import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileKernel, KERNEL_FILE } from '../../../../scripts/build-kernel.ts'

test('the compiled kernel is what its source says', async () => {
  expect(Buffer.from(await compileKernel()).equals(readFileSync(KERNEL_FILE))).toBe(true)
})
