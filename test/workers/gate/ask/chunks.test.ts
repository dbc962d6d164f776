import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { bodyOfStream, chunksOf, streamOfBody } from '../../../../workers/gate/ask/chunks.ts'
import { isWholeStream } from '../../../../src/cache/event-stream.ts'

const about = { decision_id: 'd1', verdict: 'pass', sources: [{ number: 1, title: 'A\n\nB' }] }

test('an answer as a stream and back is the same answer, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (answer) => {
      const stream = streamOfBody({ answer, ...about }, 'm')
      expect(bodyOfStream(stream)).toEqual({ answer, ...about })
      expect(isWholeStream(stream, undefined)).toBe(true)
    }),
  )
})

test('the pieces of a stream are one answer', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (pieces) => {
      const chunks = chunksOf(about, 'm')
      const stream = [chunks.first, ...pieces.map(chunks.text), chunks.last('stop')].join('')
      expect(bodyOfStream(stream)).toEqual({ answer: pieces.join(''), ...about })
    }),
  )
})

test('an answer that was cut is no whole stream, and cut as JSON too', () => {
  const chunks = chunksOf(about, 'm')
  const stream = [chunks.first, chunks.text('a'), chunks.last('length')].join('')
  expect(isWholeStream(stream, undefined)).toBe(false)
  const body = { answer: 'a', ...about, complete: false } as const
  expect(bodyOfStream(stream)).toEqual(body)
  expect(isWholeStream(streamOfBody(body, 'm'), undefined)).toBe(false)
  expect(bodyOfStream(streamOfBody(body, 'm'))).toEqual(body)
})

test('a stream that does not say what it answers is none of these', () => {
  expect(() => bodyOfStream('data: {"choices":[]}\n\ndata: [DONE]\n\n')).toThrow(
    expect.objectContaining({ code: 'internal' }),
  )
})
