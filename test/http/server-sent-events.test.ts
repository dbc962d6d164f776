import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEventSplitter, readEvent, splitEvents } from '../../src/http/server-sent-events.ts'
import { growth, PROPORTION } from '../growth.ts'

const anEvent = fc
  .array(fc.constantFrom('data: {"a":1}', 'data: é🗝', 'event: token', ': here', 'data'), { minLength: 1, maxLength: 3 })
  .map((lines) => [...lines, '', ''])

const aStream = fc
  .record({ lineEnd: fc.constantFrom('\n', '\r\n', '\r'), events: fc.array(anEvent, { maxLength: 6 }) })
  .map(({ lineEnd, events }) => events.map((lines) => lines.join(lineEnd)))

describe('a stream of events', () => {
  it('has the same events in whatever chunks its bytes arrive', () => {
    fc.assert(
      fc.property(aStream, fc.array(fc.nat(300)), (events, cuts) => {
        const bytes = new TextEncoder().encode(events.join(''))
        const eventsIn = createEventSplitter()
        const at = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b)
        const came = at.flatMap((end, index) => eventsIn(bytes.slice(at[index - 1] ?? 0, end)))
        expect(came.map(readEvent)).toEqual(events.map(readEvent))
      }),
    )
  })

  it.each([
    ['data: a\r\r', ['data: a\r\r']],
    ['data: a\r|\r', ['data: a\r\r']],
    ['data: a\r\r|data: b\r\r', ['data: a\r\r', 'data: b\r\r']],
    // A final `\r` may be the first half of `\r\n`.
    ['data: a\r\n\r|\n', ['data: a\r\n\r\n']],
    ['data: a\r|\ndata: b\n\n', ['data: a\r\ndata: b\n\n']],
    ['data: a\n\ndata: b', ['data: a\n\n']],
  ])('of the pieces %j is split into %j', (pieces, events) => {
    const eventsIn = createEventSplitter()
    expect(pieces.split('|').flatMap((piece) => eventsIn(new TextEncoder().encode(piece)))).toEqual(events)
  })

  it('is assembled in linear time, even as a single event', async () => {
    const putTogether = (text: string): void => {
      const eventsIn = createEventSplitter()
      const bytes = new TextEncoder().encode(text)
      for (let at = 0; at < bytes.length; at += 16) eventsIn(bytes.subarray(at, at + 16))
    }
    expect(await growth(putTogether, 'data: a\n', 512_000)).toBeLessThan(PROPORTION)
  })

  it('is separated from the text after its last blank line', () => {
    expect(splitEvents('data: a\n\ndata: b')).toEqual({ events: ['data: a\n\n'], rest: 'data: b' })
  })

  it.each([
    ['data: a\n\n', { name: '', data: 'a' }],
    ['data:a\ndata: b\n\n', { name: '', data: 'a\nb' }],
    ['event: error\ndata: {}\n\n', { name: 'error', data: '{}' }],
    [': wait\n\n', { name: '', data: '' }],
    ['data\n\n', { name: '', data: '' }],
    ['data: a\ndata\n\n', { name: '', data: 'a\n' }],
    [':event: error\n:data: a\n\n', { name: '', data: '' }],
    ['data-x: a\nevent-x: a\n\n', { name: '', data: '' }],
  ])('%j is parsed', (event, read) => {
    expect(readEvent(event)).toEqual(read)
  })
})
