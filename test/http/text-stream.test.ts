import { expect, test, vi } from 'vitest'
import { textStream } from '../../src/http/text-stream.ts'

test('a stream of texts has each as a piece, in UTF-8, and ends after the last', async () => {
  const pieces: string[] = []
  for await (const piece of textStream(['é', '🗝'].values())) pieces.push(new TextDecoder().decode(piece))
  expect(pieces).toEqual(['é', '🗝'])
})

test('a stream of texts tells when its reader leaves, and passes on an error of that', async () => {
  const onLeave = vi.fn<() => Promise<void>>().mockResolvedValue(undefined)
  await textStream(['a'].values(), onLeave).cancel()
  expect(onLeave).toHaveBeenCalledOnce()
  await expect(textStream(['a'].values(), () => Promise.reject(new Error('stuck'))).cancel()).rejects.toThrow('stuck')
  await expect(textStream(['a'].values()).cancel()).resolves.toBeUndefined()
})
