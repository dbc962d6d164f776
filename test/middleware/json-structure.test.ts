import * as fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { isRagGateError } from '../../src/errors.ts'
import { requirePlainStructure } from '../../src/middleware/json-structure.ts'
import { readJsonObject } from '../../src/middleware/read-body.ts'

describe('requirePlainStructure', () => {
  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"b":{},"a":2}',
    '{"x":[{"a":1},{"b":[],"c":{},"b":1}]}',
    String.raw`{"a":1,"\u0061":2}`,
    String.raw`{"a\"b":1 , "a\u0022b" : 2}`,
    '{"__proto__":1,"__proto__":2}',
    '{"":1,"":2}',
  ])('finds a repeated member in %s', (json) => {
    expect(() => requirePlainStructure(json)).toThrow('An object has the same key twice')
  })

  it.each([
    '{"a":1,"b":"a"}',
    '{"a":"a","b":"a"}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":1}}}',
    '{"a":["a","a","b","b"],"b":"\\","c":"\\"}',
    '{"a":"{\\"b\\":1,\\"b\\":2}"}',
    '"a"',
  ])('finds no repeated member in %s', (json) => {
    expect(() => requirePlainStructure(json)).not.toThrow()
  })

  it('finds no repeated member in JSON written from a value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => requirePlainStructure(JSON.stringify(value, undefined, 1))).not.toThrow(/twice/)
      }),
    )
  })
})

describe('a body', () => {
  const app = new Hono().post('/', async (c) => c.json(await readJsonObject(c.req, { maxBytes: 100, timeoutMs: 1000 })))
  app.onError((thrown, c) => c.text(isRagGateError(thrown) ? thrown.code : 'other', 500))
  const send = async (body: string, headers: Record<string, string> = {}) =>
    (
      await app.request('/', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
    ).text()

  it('with a repeated member is rejected', async () => {
    expect(await send('{"question":"a","question":"b"}')).toBe('invalid_json')
    expect(await send('{"a":{"b":1,"b":2}}')).toBe('invalid_json')
    expect(await send('{"a":{"b":1}}')).toBe('{"a":{"b":1}}')
  })

  it.each(['gzip', 'br', 'identity, gzip', 'x'])('with the Content-Encoding %s is rejected', async (encoding) => {
    expect(await send('{"a":1}', { 'content-encoding': encoding })).toBe('unsupported_media_type')
  })

  it.each(['identity', 'Identity', ''])('with the Content-Encoding %j is accepted', async (encoding) => {
    expect(await send('{"a":1}', { 'content-encoding': encoding })).toBe('{"a":1}')
  })
})
