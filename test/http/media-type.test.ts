import { expect, test } from 'vitest'
import { mediaTypeOf } from '../../src/http/media-type.ts'

test.each([
  ['application/json', 'json'],
  ['Application/JSON; charset=utf-8', 'json'],
  [' application/problem+json ;q=1', 'json'],
  ['application/vnd.api+json', 'json'],
  ['text/event-stream; charset=utf-8', 'events'],
  ['Text/Event-Stream', 'events'],
  ['application/jsonl', 'other'],
  ['application/+json', 'other'],
  ['text/json', 'other'],
  ['x-application/json', 'other'],
  ['text/plain; a="application/json"', 'other'],
  ['text/event-stream-2', 'other'],
  ['', 'other'],
  [null, 'other'],
  [undefined, 'other'],
])('the content type %j is %s', (field, type) => {
  expect(mediaTypeOf(field)).toBe(type)
})
