import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { sha256Hex } from '../../src/http/sha256-hex.ts'

test.each(['', 'é🗝', 'a'.repeat(100_000)])('is SHA-256 over UTF-8', async (text) => {
  expect(await sha256Hex(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'))
})
