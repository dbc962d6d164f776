import * as fc from 'fast-check'
import { type Context, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Principal } from '../../src/ports/index.ts'
import type { RagGateEnv } from '../../src/index.ts'
import { RagGateError } from '../../src/errors.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'
import { aGate, type GateFixture, QUESTION, STRONG } from '../fixtures/gate.ts'
import { anyText } from '../fixtures/any-text.ts'
import { examples } from '../properties.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const CANARY = 'canary7f3a'

/** Status and code of an error: with nothing retrieved, stored or recorded, and nothing of the input sent back. */
async function refusalOf(
  init: RequestInit,
  options: GateFixture = {},
  facts: object = {},
): Promise<readonly [status: number, code: string]> {
  const { send, journal } = aGate(options)
  const response = await send(init)
  const text = await response.text()
  const { error } = JSON.parse(text) as { error: { code: string } }
  expect(error).toMatchObject({
    message: expect.stringMatching(/\w/),
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ...facts,
  })
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(text + JSON.stringify([...response.headers])).not.toContain(CANARY)
  expect(journal).toMatchObject({ retrievals: [], handled: [], stored: [], events: [] })
  return [response.status, error.code]
}

const question = (value: string): string => JSON.stringify({ question: value })

describe('a body that is not JSON in UTF-8', () => {
  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/json; charset=utf-16'],
    ['application/jsonp'],
    ['text/json'],
    [''],
  ])('of type %j is rejected', async (type) => {
    expect(await refusalOf({ body: question(CANARY), headers: type === '' ? {} : { 'content-type': type } })).toEqual([
      415,
      'unsupported_media_type',
    ])
  })

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=UTF-8',
    'application/json;charset="utf-8"',
  ])('of type %j is accepted', async (type) => {
    expect((await aGate().send({ body: question(QUESTION), headers: { 'content-type': type } })).status).toBe(200)
  })

  it.each([
    ['empty', ''],
    ['spaces', '  \n '],
    ['followed by other text', `{"question":"${CANARY}"} x`],
    ['truncated', `{"question":"${CANARY}`],
    ['an array', `["${CANARY}"]`],
    ['a string', `"${CANARY}"`],
    ['null', 'null'],
    ['with a comma too many', `{"question":"${CANARY}",}`],
    ['with single quotes', `{'question':'${CANARY}'}`],
    ['NaN', '{"question":NaN}'],
  ])('that is %s is rejected', async (_, body) => {
    expect(await refusalOf({ body, headers: JSON_TYPE })).toEqual([400, 'invalid_json'])
  })

  it('that is missing is rejected', async () => {
    expect(await refusalOf({ headers: JSON_TYPE })).toEqual([400, 'invalid_json'])
  })

  it.each([
    ['a byte that is invalid in UTF-8', [0xff]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half a UTF-8 character', [0xe2, 0x82]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ])('that contains %s is rejected', async (_, bytes) => {
    const [before, after] = ['{"question":"engine ', '"}'].map((text) => [...new TextEncoder().encode(text)])
    const body = Uint8Array.from([...before!, ...bytes, ...after!])
    for (const length of [{}, { 'content-length': String(body.length) }]) {
      expect(await refusalOf({ body, headers: { ...JSON_TYPE, ...length } })).toEqual([400, 'invalid_utf8'])
    }
  })

  it('may contain the replacement character', async () => {
    const body = question(`engine \ufffd key`)
    const length = String(new TextEncoder().encode(body).length)
    for (const headers of [JSON_TYPE, { ...JSON_TYPE, 'content-length': length }]) {
      expect((await aGate().send({ body, headers })).status).toBe(200)
    }
  })

  it('that nests deeper than 32 levels is rejected before it is parsed', async () => {
    const nested = (levels: number): string => `{"question":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(await refusalOf({ body: nested(33), headers: JSON_TYPE })).toEqual([400, 'too_deep'])
    expect(await refusalOf({ body: nested(32), headers: JSON_TYPE })).toEqual([422, 'question_type'])
    expect(await refusalOf({ body: '{"a":'.repeat(10_000), headers: JSON_TYPE })).toEqual([400, 'too_deep'])
    expect(await refusalOf({ body: nested(1_000_000), headers: JSON_TYPE })).toEqual([413, 'body_too_large'])
    const large = { question: { maxBodyBytes: 3_000_000 } }
    expect(await refusalOf({ body: nested(1_000_000), headers: JSON_TYPE }, large)).toEqual([400, 'too_deep'])
  })

  it('may contain any number of brackets inside a string', async () => {
    const { ask } = aGate()
    expect((await ask({ question: `${'['.repeat(50)}\\"${'{'.repeat(50)} engine` })).status).toBe(200)
  })
})

describe('a body that is too large or too slow', () => {
  it.each([
    ['without content-length', false, ''],
    ['with content-length', true, ''],
    ['with content-length, of characters of three bytes', true, '退款'.repeat(20)],
  ])('is accepted at exactly the limit and rejected one byte above it, one %s', async (_, announced, more) => {
    const body = question(QUESTION + more)
    const bytes = new TextEncoder().encode(body).length
    const headers = (length: number) => ({ ...JSON_TYPE, ...(announced && { 'content-length': String(length) }) })
    const at = { question: { maxBodyBytes: bytes } }
    expect((await aGate(at).send({ body, headers: headers(bytes) })).status).toBe(200)
    expect(await refusalOf({ body: `${body} `, headers: headers(bytes + 1) }, at)).toEqual([413, 'body_too_large'])
    // The length was wrong: the body itself is measured.
    expect(await refusalOf({ body: `${body} `, headers: headers(bytes) }, at)).toEqual([413, 'body_too_large'])
  })

  it('is rejected by its declared length without being read', async () => {
    let pulls = 0
    const body = new ReadableStream({ pull: () => void pulls++ }, { highWaterMark: 0 })
    const headers = { ...JSON_TYPE, 'content-length': '1000000' }
    expect(await refusalOf({ body, headers, duplex: 'half' } as RequestInit)).toEqual([413, 'body_too_large'])
    expect(pulls).toBe(0)
  })

  it('is read only up to the limit when it comes in chunks without a length', async () => {
    let sent = 0
    let cancelled = false
    const body = new ReadableStream({
      pull: (controller) => {
        sent += 16_384
        controller.enqueue(new Uint8Array(16_384).fill(0x20))
        if (sent > 100_000_000) controller.close()
      },
      cancel: () => {
        cancelled = true
      },
    })
    expect(await refusalOf({ body, headers: JSON_TYPE, duplex: 'half' } as RequestInit)).toEqual([
      413,
      'body_too_large',
    ])
    expect(sent).toBeLessThanOrEqual(65_536 + 65_536)
    expect(cancelled).toBe(true)
  })

  it('is measured when its declared length is too small', async () => {
    const headers = { ...JSON_TYPE, 'content-length': '10' }
    expect(await refusalOf({ body: question('x'.repeat(70_000)), headers })).toEqual([413, 'body_too_large'])
  })

  it.each([
    ['with content-length', { ...JSON_TYPE, 'content-length': '14' }],
    ['without content-length', JSON_TYPE],
  ])('is abandoned when it takes too long, one %s', async (_, headers) => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"question":"')),
      pull: () => new Promise<void>(() => undefined),
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const refusal = refusalOf({ body, headers, duplex: 'half' } as RequestInit)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await refusal).toEqual([408, 'body_timeout'])
  })
})

it.each([
  ['with content-length', { ...JSON_TYPE, 'content-length': '14' }],
  ['without content-length', JSON_TYPE],
])('a body that breaks off, one %s, is an error of the client', async (_, headers) => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"question":"')),
    pull: (controller) => controller.error(new Error('Network connection lost.')),
  })
  expect(await refusalOf({ body, headers, duplex: 'half' } as RequestInit)).toEqual([400, 'invalid_json'])
})

describe('a question', () => {
  it.each<[string, string, number, string]>([
    ['missing', '{}', 422, 'question_required'],
    ['empty', question(''), 422, 'question_required'],
    ['only spaces', question(' \t\n\u00a0\u3000 '), 422, 'question_required'],
    ['a number', '{"question":42}', 422, 'question_type'],
    ['an array', `{"question":["${CANARY}"]}`, 422, 'question_type'],
    ['an object', `{"question":{"text":"${CANARY}"}}`, 422, 'question_type'],
    ['true', '{"question":true}', 422, 'question_type'],
    ['null', '{"question":null}', 422, 'question_type'],
    ['one character too long', question('x'.repeat(2001)), 422, 'question_too_long'],
    ['one astral character too long', question('🜁'.repeat(2001)), 422, 'question_too_long'],
    ['with a lone high surrogate', `{"question":"${CANARY} \\ud800"}`, 400, 'invalid_unicode'],
    ['with a lone low surrogate', '{"question":"\\udc00 engine"}', 400, 'invalid_unicode'],
    ['with surrogates in the wrong order', '{"question":"\\udc00\\ud800"}', 400, 'invalid_unicode'],
    ['with NUL', `{"question":"${CANARY}\\u0000"}`, 422, 'control_character'],
    ['with ESC', `{"question":"\\u001b[31m${CANARY}"}`, 422, 'control_character'],
    ['with BEL', '{"question":"a\\u0007"}', 422, 'control_character'],
    ['with DEL', '{"question":"a\\u007f"}', 422, 'control_character'],
    ['with a C1 control', '{"question":"a\\u009b"}', 422, 'control_character'],
  ])('that is %s is rejected', async (_, body, status, code) => {
    expect(await refusalOf({ body, headers: JSON_TYPE })).toEqual([status, code])
  })

  it.each([
    ['of the maximum length', 'x'.repeat(2000)],
    ['of the maximum length in astral characters', '𐐷'.repeat(2000)],
    ['within the limit once spaces are folded', `engine${' '.repeat(5000)}start`],
    ['in lines', 'How does\r\n\tthe engine start?'],
    ['with emoji of several characters', '👩‍👩‍👧‍👦 engine?'],
    ['from right to left', 'كيف يبدأ المحرك؟'],
  ])('that is %s is accepted', async (_, text) => {
    const { ask, journal } = aGate()
    expect((await ask({ question: text })).status).toBe(200)
    expect(journal.retrievals).toHaveLength(1)
  })

  it.each([
    ['{}', 'question_required', 'question', 'question is missing'],
    ['{"question":7}', 'question_type', 'question', 'question must be a string'],
    ['{"question":"a","stream":"yes"}', 'stream_type', 'stream', 'stream must be true or false'],
    [
      '{"question":"a","collection":7}',
      'collection_id',
      'collection',
      'collection must be 1 to 64 of A-Z a-z 0-9 . _ -',
    ],
    ['{"question":"a","foo":1}', 'unknown_field', undefined, 'The body may have only question, collection, stream'],
    [
      '{"question":"a","tenant":"b","namespace":"n"}',
      'tenant_mismatch',
      'tenant',
      'A request reaches only its own tenant',
    ],
    ['{"question":"a","namespace":"n"}', 'tenant_mismatch', 'namespace', 'A request reaches only its own tenant'],
  ])('in the body %s names what is wrong', async (body, code, param, message) => {
    const refused = refusalOf({ body, headers: JSON_TYPE }, {}, { message, ...(param && { param }) })
    expect((await refused)[1]).toBe(code)
  })

  it('is checked for length by its own text, not by the whole message it is in', async () => {
    const { ask } = aGate({ question: { field: 'messages', read: () => 'x'.repeat(2001) } })
    const message = 'The question may have at most 2000 characters'
    expect(await (await ask({})).json()).toMatchObject({ error: { message, param: 'messages' } })
  })

  it('may be in a member with another name', async () => {
    const { ask } = aGate({ question: { field: 'q' } })
    expect((await ask({ q: QUESTION })).status).toBe(200)
    expect(
      await refusalOf(
        { body: question(CANARY), headers: JSON_TYPE },
        {
          question: { field: 'q' },
        },
      ),
    ).toEqual([422, 'unknown_field'])
  })
})

describe('other members of the body', () => {
  it.each<[string, string]>([
    ['foo', '{"question":"a","foo":1}'],
    ['__proto__', `{"__proto__":{"admin":true},"question":"${CANARY}"}`],
    ['constructor', '{"constructor":{"prototype":{}}}'],
    ['filter', '{"question":"a","filter":"a = 1 OR 1=1"}'],
    ['minScore', '{"question":"a","minScore":0}'],
    ['gate', '{"question":"a","gate":false}'],
    ['ttl', '{"question":"a","ttl":1e9}'],
    ['policy', '{"question":"a","policy":{"gates":[]}}'],
    ['Question', '{"Question":"a"}'],
  ])('such as %s are rejected', async (_, body) => {
    expect(await refusalOf({ body, headers: JSON_TYPE })).toEqual([422, 'unknown_field'])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  it.each([`"namespace":"${CANARY}"`, `"tenant":"${CANARY}"`, '"tenant":null', '"tenant":"default","namespace":"n"'])(
    'must not name another tenant: %s',
    async (member) => {
      const body = `{"question":"a","foo":1,${member}}`
      expect(await refusalOf({ body, headers: JSON_TYPE })).toEqual([403, 'tenant_mismatch'])
    },
  )

  it("may name the caller's own tenant, which changes nothing", async () => {
    const { ask, journal } = aGate()
    expect((await ask({ question: QUESTION, tenant: 'default' })).status).toBe(200)
    expect(journal.retrievals).toHaveLength(1)
  })

  it('naming a tenant are rejected when another tenant sends the same body right after', async () => {
    const authenticate = (request: Request): Principal => ({
      tenant: request.headers.get('x-tenant') ?? '',
      id: 'someone',
      scopes: ['ask'],
    })
    const { send } = aGate({ dependencies: { authenticate } })
    const body = JSON.stringify({ question: QUESTION, tenant: 'default' })
    const statuses: number[] = []
    for (const tenant of ['default', 'other', 'default']) {
      statuses.push((await send({ body, headers: { ...JSON_TYPE, 'x-tenant': tenant } })).status)
    }
    expect(statuses).toEqual([200, 403, 200])
  })

  it("are left to the handler with otherFields: 'allow', join the answer key, and never reach the gate", async () => {
    const options: GateFixture = { question: { otherFields: 'allow' }, finds: ['Paint is blue.'] }
    const { ask, journal } = aGate(options)
    for (const body of [{ minScore: 0, gate: false }, { gate: false, minScore: 0 }, { gate: true }]) {
      expect(await (await ask({ question: QUESTION, ...body })).json()).toMatchObject({ refused: true })
    }
    expect(journal.retrievals).toHaveLength(2)
    expect(journal.handled).toEqual([])
  })

  it.each([
    ['null', '1e400', '-1e400'],
    ['9007199254740992', '9007199254740993', '-9007199254740993'],
    ['[{"a":1e400}]', '[{"a":null}]', '[{"a":-1e400}]'],
    ['0.5', '9007199254740991', '-9007199254740991'],
  ])('share no answer when they differ: %s, %s and %s', async (...values) => {
    const { ask, journal } = aGate({
      question: { otherFields: 'allow' },
      handler: async (c) => c.json({ answer: await c.req.text() }),
    })
    for (const k of [...values, ...values]) {
      const body = `{"question":"${QUESTION}","k":${k}}`
      expect(await (await ask(body)).json()).toMatchObject({ answer: body })
    }
    expect(journal.handled).toHaveLength(3)
  })

  it.each(['0', '-1', '1.5', '"5"', '1e309', '5', '1001', 'null'])('topK of %s is rejected', async (topK) => {
    const body = `{"question":"a","topK":${topK}}`
    expect(await refusalOf({ body, headers: JSON_TYPE })).toEqual([422, 'unknown_field'])
  })

  it.each([
    '""',
    '"../x"',
    '".hidden"',
    '"a/b"',
    '"a b"',
    '"ä"',
    '"a\\u0000"',
    `"${'a'.repeat(65)}"`,
    '1',
    'null',
    `["${CANARY}"]`,
  ])('a collection named %s is rejected', async (name) => {
    expect(await refusalOf({ body: `{"question":"a","collection":${name}}`, headers: JSON_TYPE })).toEqual([
      422,
      'collection_id',
    ])
  })

  it('a collection that does not exist is 404', async () => {
    expect(await refusalOf({ body: `{"question":"a","collection":"${CANARY}"}`, headers: JSON_TYPE })).toEqual([
      404,
      'collection_not_found',
    ])
  })

  it("a collection that is missing from the application's own map is 404", async () => {
    const collections = new Map<string, never>()
    const lexicon = (): never => collections.get('lexicon')!
    const find = (_: string, id: string): never => collections.get(id)!
    const asked = refusalOf(
      { body: question('a'), headers: JSON_TYPE },
      { dependencies: { collections: { find, lexicon } } },
    )
    expect(await asked).toEqual([404, 'collection_not_found'])
  })
})

describe('the result of question.read', () => {
  const JSON_BODY = { body: '{}', headers: JSON_TYPE }

  it.each<[string, unknown, string?]>([
    ['a number', 7, ''],
    ['a list', [QUESTION], ''],
    ['vary as one string', { question: QUESTION, vary: 'de' }],
    ['vary of objects', { question: QUESTION, vary: [{ name: 'ann' }] }],
    ['vary of numbers', { question: QUESTION, vary: [17] }],
    ['vary of undefined', { question: QUESTION, vary: [undefined] }],
    ['vary that is null', { question: QUESTION, vary: null }],
  ])('is rejected when it is %s', async (_, given, at = '.vary') => {
    const options: GateFixture = { question: { read: () => given as string } }
    expect(await refusalOf(JSON_BODY, options)).toEqual([500, 'config_invalid'])
    expect(await (await aGate(options).send(JSON_BODY)).json()).toMatchObject({
      error: { param: `question.read${at}` },
    })
  })

  it('may name a collection, of those that the route allows', async () => {
    const read = () => ({ question: QUESTION, collection: 'other' })
    const { send, journal } = aGate({ question: { read, collections: ['default', 'other'] } })
    expect((await send(JSON_BODY)).status).toBe(200)
    expect(journal.retrievals).toMatchObject([{ collection: 'other' }])
    const options = (collection: unknown): GateFixture => ({
      question: { read: () => ({ question: QUESTION, collection: collection as string }) },
    })
    expect(await refusalOf(JSON_BODY, options('other'))).toEqual([404, 'collection_not_found'])
    expect(await refusalOf(JSON_BODY, options(7))).toEqual([422, 'collection_id'])
  })

  it.each<[string, unknown, number, string]>([
    ['an error', new TypeError(CANARY), 400, 'No question could be read'],
    ['a string', CANARY, 400, 'No question could be read'],
    ['an error of the gate', new RagGateError('unauthorized', 'Sign in'), 401, 'Sign in'],
  ])('that throws %s causes an error of the client', async (_, thrown, status, message) => {
    const read = (): never => {
      throw thrown
    }
    const code = status === 400 ? 'invalid_json' : 'unauthorized'
    expect(await refusalOf(JSON_BODY, { question: { read } }, { message })).toEqual([status, code])
  })

  it("that throws Hono's exception gets the response of that exception", async () => {
    const read = (): never => {
      throw new HTTPException(402, { message: 'Pay first' })
    }
    const { send, journal } = aGate({ question: { read } })
    const response = await send(JSON_BODY)
    expect([response.status, await response.text()]).toEqual([402, 'Pay first'])
    expect(journal).toMatchObject({ retrievals: [], events: [] })
  })

  it.each([[undefined], [null], [{}]])('counts as a missing question when it is %j', async (given) => {
    const read = (): string => given as unknown as string
    expect(await refusalOf(JSON_BODY, { question: { read } })).toEqual([422, 'question_required'])
  })
})

describe('the answer to a question read by the application', () => {
  const png = (pixel: number): Uint8Array<ArrayBuffer> => new Uint8Array([0x89, 0x50, 0x4e, 0x47, pixel])

  it.each<[string, readonly RequestInit[]]>([
    ['bytes that are not UTF-8', [{ body: png(0x80) }, { body: png(0x81) }]],
    [
      'the content type of its body',
      [
        { body: 'tone=dry', headers: { 'content-type': 'text/plain' } },
        { body: 'tone=dry', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      ],
    ],
  ])('depends on %s', async (_, requests) => {
    const { send, journal } = aGate({ question: { read: () => QUESTION } })
    for (const request of [...requests, ...requests]) await send(request)
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'miss', 'hit', 'hit'])
  })

  it('is made from a body that the handler gets unchanged', async () => {
    const handler = async (c: Context): Promise<Response> => c.json({ answer: [...(await c.req.bytes())].join(' ') })
    const { send } = aGate({ question: { read: () => QUESTION }, handler })
    expect(await (await send({ body: png(0x80) })).json()).toEqual({ answer: '137 80 78 71 128' })
  })
})

describe('a body read from the raw request', () => {
  quietErrors()
  it.each<[string, GateFixture, (c: Context) => Promise<unknown>]>([
    ['before the gate', {}, (c) => c.req.raw.json()],
    [
      'by question.read',
      { question: { read: async (c) => ((await c.req.raw.json()) as { question: string }).question } },
      async () => undefined,
    ],
  ])('%s is reported as such', async (_, fixture, before) => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const { gate, journal } = aGate(fixture)
    const app = new Hono<RagGateEnv>()
    app.use(async (c, next) => {
      await before(c)
      await next()
    })
    app.post('/ask', gate, (c) => c.json({ answer: 'Turn the red key.' }))
    const headers = { 'content-type': 'application/json' }
    const response = await app.request('/ask', {
      method: 'POST',
      headers,
      body: JSON.stringify({ question: QUESTION }),
    })
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect([response.status, error.code]).toEqual([500, 'config_invalid'])
    expect(error.message).toContain('c.req.raw')
    // Where it was read is in the log.
    expect(logged.mock.calls).toEqual([[expect.stringMatching(/^\[rag-gate\] config_invalid .* < TypeError at /)]])
    expect(journal).toMatchObject({ retrievals: [], events: [] })
  })
})

describe('any request body', () => {
  it('ends in a declared status with a matching body, and reaches the handler only with evidence', async () => {
    const declared = new Set([200, 400, 404, 413, 415, 422])
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), anyText(), fc.constantFrom(QUESTION, 3, 'default'))
    const member = fc.constantFrom('question', 'question', 'collection', 'topK', '__proto__', 'x')
    const body = fc.oneof(
      fc.dictionary(member, value, { maxKeys: 4 }).map((members) => JSON.stringify(members)),
      anyText({ maxLength: 40 }),
    )
    const type = fc.constantFrom(
      'application/json',
      'application/json',
      'application/json',
      'text/plain',
      'application/json;charset=x',
    )
    await fc.assert(
      fc.asyncProperty(body, type, async (text, contentType) => {
        const { send, journal } = aGate({ finds: [STRONG] })
        const response = await send({ body: text, headers: { 'content-type': contentType } })
        expect(declared).toContain(response.status)
        const parsed = (await response.json()) as { error?: { code: string; request_id: string } }
        expect(parsed.error === undefined).toBe(response.status === 200)
        expect(journal.events).toHaveLength(response.status === 200 ? 1 : 0)
        expect(journal.retrievals.length).toBeLessThanOrEqual(journal.events.length)
        // A question may be refused for itself, without one.
        if (journal.events.some(({ decision }) => decision.verdict !== 'refuse')) {
          expect(journal.retrievals).toHaveLength(1)
        } else expect(journal.handled).toEqual([])
      }),
      { numRuns: examples(400) },
    )
  })
})
