/** JSON bodies of any form, against what their parts say: duplicate members, depth, numbers, surrogates, marks, and what is no JSON. */
import * as fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { isRagGateError } from '../../src/errors.ts'
import { requirePlainStructure } from '../../src/middleware/json-structure.ts'
import { readJsonObject } from '../../src/middleware/read-body.ts'
import { anyText } from '../fixtures/any-text.ts'
import { growth, PROPORTION } from '../growth.ts'
import { examples } from '../properties.ts'

/** JSON as it is written, and what it stands for. */
interface Written {
  readonly text: string
  readonly value: unknown
  readonly depth: number
  readonly twice: boolean
}

const space = fc.constantFrom('', '', ' ', '\n\t', '\r')

/** A text, some of its characters escaped: those whose bit is set. */
const written = fc.tuple(anyText({ maxLength: 6 }), fc.nat(0xfff)).map(([text, bits]) => {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  const isPair = units.some((unit) => unit >= 0xd800 && unit < 0xe000)
  const escaped = units.map((unit, at) =>
    (bits >> at) & 1
      ? `\\u${unit.toString(16).padStart(4, '0')}`
      : JSON.stringify(String.fromCharCode(unit)).slice(1, -1),
  )
  return { text: isPair ? JSON.stringify(text) : `"${escaped.join('')}"`, value: text }
})

const numbers = ['0', '-0', '1e400', '-1e-400', '9007199254740993', '0.1e1', '123456789012345678901234567890', '5']
const leaf: fc.Arbitrary<Written> = fc.oneof(
  fc
    .constantFrom(...numbers, 'true', 'false', 'null', '""', '"\\ud800"', '"\\udc00\\ud800"', '"\ufffd"', '"\ufeff"')
    .map((text) => ({ text, value: JSON.parse(text) as unknown, depth: 0, twice: false })),
  written.map((one) => ({ ...one, depth: 0, twice: false })),
)

const list = (inner: fc.Arbitrary<Written>): fc.Arbitrary<Written> =>
  fc.tuple(fc.array(inner, { maxLength: 4 }), space).map(([parts, gap]) => ({
    text: `[${gap}${parts.map(({ text }) => text).join(`${gap},${gap}`)}${gap}]`,
    value: parts.map(({ value }) => value),
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
    twice: parts.some(({ twice }) => twice),
  }))

/** Names are few, so that some stand twice, and written in several ways. */
const name = fc.oneof(
  fc.constantFrom('"a"', '"\\u0061"', '"b"', '"__proto__"', '"constructor"', '""', '"\\"a"', '"{"').map((text) => ({
    text,
    value: JSON.parse(text) as string,
  })),
  written,
)

const object = (inner: fc.Arbitrary<Written>): fc.Arbitrary<Written> =>
  fc.tuple(fc.array(fc.tuple(name, inner), { maxLength: 4 }), space).map(([members, gap]) => {
    const names = members.map(([{ value }]) => value)
    return {
      text: `{${gap}${members.map(([of, { text }]) => `${of.text}${gap}:${gap}${text}`).join(`${gap},`)}${gap}}`,
      value: Object.fromEntries(members.map(([of, { value }]) => [of.value, value])),
      depth: 1 + Math.max(0, ...members.map(([, { depth }]) => depth)),
      twice: new Set(names).size < names.length || members.some(([, { twice }]) => twice),
    }
  })

const { whole } = fc.letrec<{ any: Written; whole: Written }>((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, leaf, list(tie('any')), object(tie('any'))),
  whole: object(tie('any')),
}))

/** Put into so many lists. */
const deeper = (inner: Written, levels: number): Written => ({
  text: `{"in":${'['.repeat(levels)}${inner.text}${']'.repeat(levels)}}`,
  value: { in: Array.from({ length: levels }).reduce<unknown>((value) => [value], inner.value) },
  depth: inner.depth + levels + 1,
  twice: inner.twice,
})

const app = new Hono().post('/', async (c) => {
  const read = await readJsonObject(c.req, { maxBytes: 4000, timeoutMs: 5000 })
  return c.json({ read: JSON.stringify(read), again: JSON.stringify(await c.req.json()) })
})
app.onError((thrown, c) => c.json({ code: isRagGateError(thrown) ? thrown.code : String(thrown) }, 500))

interface Reading {
  readonly read?: string
  /** What later readers find. */
  readonly again?: string
  readonly code?: string
}

/** What becomes of a body, by whether its length is announced. */
async function readingsOf(
  body: string | Uint8Array<ArrayBuffer>,
): Promise<{ announced: Reading; unannounced: Reading }> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const reading = async (length: Record<string, string>): Promise<Reading> => {
    const headers = { 'content-type': 'application/json', ...length }
    return (await (await app.request('/', { method: 'POST', body: bytes, headers })).json()) as Reading
  }
  return { announced: await reading({ 'content-length': String(bytes.length) }), unannounced: await reading({}) }
}

/** The same for both. */
async function readingOf(body: string): Promise<Reading> {
  const { announced, unannounced } = await readingsOf(body)
  expect(announced).toEqual(unannounced)
  expect(announced.again).toBe(announced.read)
  return announced
}

describe('a JSON object', () => {
  it('is read as its value, or rejected for a repeated member or its depth', async () => {
    const seen: Record<string, number> = {}
    const bodies = fc.oneof(
      whole,
      fc.tuple(whole, fc.integer({ min: 25, max: 40 })).map((of) => deeper(...of)),
    )
    await fc.assert(
      fc.asyncProperty(
        bodies,
        fc.constantFrom('', '\ufeff'),
        fc.integer({ min: 0, max: 2 }),
        async (body, mark, pad) => {
          const { text, value, depth, twice } = body
          const { read, code } = await readingOf(`${mark}${' '.repeat(pad)}${text}`)
          // Both may be wrong with it: it is read from the left.
          const allowed = [...(twice ? ['invalid_json'] : []), ...(depth > 32 ? ['too_deep'] : [])]
          if (allowed.length === 0) expect({ read, code }).toEqual({ read: JSON.stringify(value) })
          else expect(allowed).toContain(code)
          const kind = code ?? 'read'
          seen[kind] = (seen[kind] ?? 0) + 1
        },
      ),
      { numRuns: examples(75, 300) },
    )
    for (const kind of ['read', 'invalid_json', 'too_deep']) expect(seen[kind], kind).toBeGreaterThan(5)
  })

  it('with a character inserted, removed or changed is read exactly when JSON.parse reads it', async () => {
    const pieces = fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '\0', ' ', 'x', '1', '\ufeff', '\ufffd')
    await fc.assert(
      fc.asyncProperty(whole, fc.nat(), pieces, fc.boolean(), async (body, place, piece, replaces) => {
        const at = place % body.text.length
        const text = body.text.slice(0, at) + piece + body.text.slice(at + (replaces ? 1 : 0))
        const { code } = await readingOf(text)
        let value: unknown
        try {
          value = JSON.parse(text.replace(/^\ufeff/, ''))
        } catch {
          expect(code).toBe('invalid_json')
          return
        }
        // A member may stand twice now, or no more.
        expect([undefined, 'invalid_json']).toContain(code)
        if (typeof value !== 'object' || Array.isArray(value)) expect(code).toBe('invalid_json')
      }),
      { numRuns: examples(300) },
    )
  })

  it('with any bytes in it is read exactly when they are UTF-8', async () => {
    const byte = fc.oneof(
      fc.constantFrom(0xef, 0xbb, 0xbf, 0xbd, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0xc0, 0xff),
      fc.nat(255),
    )
    const strict = new TextDecoder('utf-8', { fatal: true })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('', '\ufeff'), fc.array(byte, { maxLength: 8 }), async (mark, inner) => {
        const [before, after] = [`${mark}{"a":"\ufffd`, '"}'].map((text) => [...new TextEncoder().encode(text)])
        const bytes = Uint8Array.from([...before!, ...inner, ...after!])
        let text: string | undefined
        try {
          text = strict.decode(bytes)
        } catch {
          // No UTF-8.
        }
        const { announced, unannounced } = await readingsOf(bytes)
        if (text !== undefined) {
          expect(unannounced.code).not.toBe('invalid_utf8')
          expect(announced).toEqual(unannounced)
          return
        }
        expect(unannounced.code).toBe('invalid_utf8')
        if (announced.code === 'invalid_utf8') return
        // A character of four bytes without its last is as long as what stands for it.
        const read = new TextDecoder().decode(bytes)
        expect([0, 3]).toContain(bytes.length - new TextEncoder().encode(read).length)
      }),
      { numRuns: examples(300) },
    )
  })
})

it.each(['[', '{"a":', '{"a":1,"b":[{}]},', '"\\u0061":1,', '\\"', '"', '{"a":"\\\\"},', '[]', ' '])(
  'is scanned in linear time: %s',
  async (unit) => {
    const look = (text: string): void => {
      try {
        requirePlainStructure(text)
      } catch {
        // Too deep, or a member stands twice.
      }
    }
    // Names that differ, within one object.
    const many = (text: string): void => look(`{${text.replaceAll('"a"', () => `"${Math.random()}"`)}`)
    expect(await growth(look, unit, 256_000)).toBeLessThan(PROPORTION)
    expect(await growth(many, unit, 64_000)).toBeLessThan(PROPORTION)
  },
)
