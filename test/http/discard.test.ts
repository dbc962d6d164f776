import { expect, test, vi } from 'vitest'
import { discard } from '../../src/http/discard.ts'

test('tells the source of a body that it is not read any more', async () => {
  const cancel = vi.fn<() => void>()
  discard(new Response(new ReadableStream({ cancel })))
  expect(cancel).toHaveBeenCalledOnce()
})

test('leaves a body alone that another reads', async () => {
  const cancel = vi.fn<() => void>()
  const stream = new ReadableStream({ cancel })
  stream.getReader()
  discard({ body: stream } as Response)
  await new Promise((resolve) => setTimeout(resolve))
  expect(cancel).not.toHaveBeenCalled()
})

test('takes a response without a body, and one that cannot show the body that was sent', async () => {
  discard(new Response(null))
  const sent = {
    get body(): null {
      throw new TypeError('Response body object should not be disturbed or locked')
    },
  }
  expect(() => discard(sent as unknown as Response)).not.toThrow()
})
