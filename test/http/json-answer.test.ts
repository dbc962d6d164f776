import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readJsonAnswer } from '../../src/http/json-answer.ts'

const TEXT = '{"answer":"é"}'
const LENGTH = new TextEncoder().encode(TEXT).length

/** A response with this body, of JSON unless other headers are given. */
function aResponse(body: BodyInit | null, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, { headers: { 'content-type': 'application/json', ...headers } })
}

describe('an answer in JSON', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  test('is read up to its limit', async () => {
    for (const length of [undefined, String(LENGTH)]) {
      const response = aResponse(TEXT, length === undefined ? {} : { 'content-length': length })
      expect(await readJsonAnswer(response, LENGTH, 1000)).toEqual({
        kind: 'json',
        bytes: new TextEncoder().encode(TEXT),
        value: { answer: 'é' },
      })
    }
  })

  test.each([['[1]'], ['null'], ['"text"'], ['{"answer":'], ['']])('has no value when its body is %j', async (body) => {
    expect(await readJsonAnswer(aResponse(body), 100, 1000)).toMatchObject({ kind: 'json', value: undefined })
  })

  test('has no value when it is not UTF-8', async () => {
    const latin1 = new Uint8Array([...'{"a":"'].map((each) => each.charCodeAt(0)).concat(0xe4, 0x22, 0x7d))
    expect(await readJsonAnswer(aResponse(latin1), 100, 1000)).toMatchObject({ kind: 'json', value: undefined })
  })

  test('is not read when it is compressed, of another type, without a body, or read by another', async () => {
    const locked = aResponse(TEXT)
    locked.body?.getReader()
    const responses = [
      aResponse(TEXT, { 'content-encoding': 'gzip' }),
      aResponse(TEXT, { 'content-type': 'text/event-stream' }),
      aResponse(TEXT, { 'content-type': 'text/plain' }),
      aResponse(null),
      locked,
    ]
    const read = await Promise.all(responses.map((response) => readJsonAnswer(response, 100, 1000)))
    expect(read).toEqual(['json', 'events', 'other', 'json', 'json'].map((media) => ({ kind: 'unread', media })))
    expect(await responses[0]!.text()).toBe(TEXT)
  })

  test('is lost when it is too large; one that says so is not read', async () => {
    expect(await readJsonAnswer(aResponse(TEXT), LENGTH - 1, 1000)).toEqual({ kind: 'lost' })
    const announced = aResponse(TEXT, { 'content-length': String(LENGTH + 1) })
    expect(await readJsonAnswer(announced, LENGTH, 1000)).toEqual({ kind: 'lost' })
    expect(announced.bodyUsed).toBe(false)
  })

  test('is lost when it breaks off or stops coming', async () => {
    const broken = new ReadableStream({ start: (controller) => controller.error(new Error('reset')) })
    expect(await readJsonAnswer(aResponse(broken), 100, 1000)).toEqual({ kind: 'lost' })
    const read = readJsonAnswer(aResponse(new ReadableStream()), 100, 1000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await read).toEqual({ kind: 'lost' })
  })
})
