import { expect, test, vi } from 'vitest'
import { discard } from '../../src/http/discard.ts'

test('cancels the source of a body that is not read further', async () => {
  const cancel = vi.fn<() => void>()
  discard(new Response(new ReadableStream({ cancel })))
  expect(cancel).toHaveBeenCalledOnce()
})

test('leaves alone a body that another reader has', async () => {
  const cancel = vi.fn<() => void>()
  const stream = new ReadableStream({ cancel })
  stream.getReader()
  discard({ body: stream } as Response)
  await new Promise((resolve) => setTimeout(resolve))
  expect(cancel).not.toHaveBeenCalled()
})

test('accepts a response without a body, and one whose body is not accessible', async () => {
  discard(new Response(null))
  const sent = {
    get body(): null {
      throw new TypeError('Response body object should not be disturbed or locked')
    },
  }
  expect(() => discard(sent as unknown as Response)).not.toThrow()
})
