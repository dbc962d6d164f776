import { expect, it, vi } from 'vitest'
import { slicesOf } from '../../../../packages/ingest/src/markdown/html/slices.ts'

const sizes = async (html: string): Promise<number[]> => {
  const read: Uint8Array[] = []
  for await (const slice of slicesOf(html, () => false)) read.push(slice)
  expect(Buffer.concat(read).toString()).toBe(html)
  return read.map(({ length }) => length)
}

it.each([
  ['', [0]],
  ['é', [2]],
  ['a'.repeat(40_000), [16_384, 16_384, 7232]],
  ['a'.repeat(16_384), [16_384]],
  ['<b>'.repeat(300), [256 * 3, 44 * 3]],
  [']'.repeat(512), [256, 256]],
  ['<]'.repeat(129), [256, 2]],
])('slices have as much as is read without blocking: %#', async (html, expected) => {
  expect(await sizes(html)).toEqual(expected)
})

it('a slice follows when the one before was read, and other work was done', async () => {
  const isEnough = vi.fn<() => boolean>(() => false)
  const reader = slicesOf('<'.repeat(2000), isEnough).getReader()
  await new Promise((resolve) => setTimeout(resolve, 1))
  expect(isEnough).not.toHaveBeenCalled()
  await reader.read()
  expect(isEnough).toHaveBeenCalledOnce()
  let others = 0
  setTimeout(() => others++, 0)
  await reader.read()
  expect(others).toBe(1)
})

it('ends when no more is needed', async () => {
  const reader = slicesOf('<'.repeat(2000), () => true).getReader()
  expect((await reader.read()).value).toHaveLength(256)
  expect((await reader.read()).done).toBe(true)
})
