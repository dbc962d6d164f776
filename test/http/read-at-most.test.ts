import { describe, expect, test, vi } from 'vitest'
import { readAtMost } from '../../src/http/read-at-most.ts'

const streamOf = (...pieces: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })

/** Gives one piece, never another, and never says that it was cancelled. */
const hanging = (): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(1)),
    cancel: () => new Promise(() => undefined),
  })

describe('readAtMost', () => {
  test('joins the chunks of a body that fits exactly', async () => {
    expect(new TextDecoder().decode(await readAtMost(streamOf('ab', '', 'cde'), 5))).toBe('abcde')
    expect(await readAtMost(null, 0)).toEqual(new Uint8Array())
  })

  test('returns nothing for a body with one byte too many, and stops reading', async () => {
    let pulled = 0
    const cancel = vi.fn<() => void>()
    const endless = new ReadableStream<Uint8Array>({
      cancel,
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(10))
      },
    })
    expect(await readAtMost(streamOf('abc', 'def'), 5)).toBeUndefined()
    expect(await readAtMost(endless, 25)).toBeUndefined()
    expect(pulled).toBeLessThan(6)
    expect(cancel).toHaveBeenCalledOnce()
  })

  test('rejects with the first error, also when the stream never ends', async () => {
    const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('too late')), 10))
    const race = <Value>(promise: Promise<Value>): Promise<Value> => Promise.race([promise, late])
    await expect(readAtMost(hanging(), 100, race)).rejects.toThrow('too late')
  })
})
