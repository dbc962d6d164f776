/** Reads JSON bodies within limits: bytes are counted before anything is parsed. */
import type { HonoRequest } from 'hono'
import { isRecord } from '../core/lib/guards.ts'
import { utf8 } from '../core/lib/sha256.ts'
import { isRagGateError, RagGateError } from '../errors.ts'
import { readAtMost } from '../http/read-at-most.ts'
import { utf8TextOf } from '../http/utf8.ts'
import { requirePlainStructure } from './json-structure.ts'

/** Limits of a body. */
export interface BodyLimits {
  /** Bytes. */
  readonly maxBytes: number
  /** Deadline for the last byte. */
  readonly timeoutMs: number
}

/**
 * Reads a body as a JSON object. It stays readable for others (`c.req.json()`).
 *
 * @throws the errors of `readJsonText` and `jsonObjectIn`
 */
export async function readJsonObject(
  request: HonoRequest,
  limits: BodyLimits,
): Promise<Readonly<Record<string, unknown>>> {
  return jsonObjectIn(await readJsonText(request, limits))
}

/**
 * Reads a body with a JSON content type as text. It stays readable for others.
 *
 * @throws `unsupported_media_type`, `body_too_large`, `body_timeout`, `invalid_utf8`, `invalid_json` if it broke off
 */
export async function readJsonText(request: HonoRequest, limits: BodyLimits): Promise<string> {
  const { bodyCache } = request
  const raw = (request as ReadRequest)[PARTS]?.raw ?? request.raw
  const { headers } = raw
  requireJson(headers.get('content-type'))
  requirePlain(headers.get('content-encoding'))
  // Already read through Hono.
  if (raw.bodyUsed) return atMost(await readByHono(request.text()), limits.maxBytes)
  const body = await readText(raw, headers.get('content-length'), limits)
  if (body === undefined) throw new RagGateError('invalid_utf8', 'The body is not UTF-8')
  // Hono's cache of promises, which later calls read.
  bodyCache.text = Promise.resolve(body) as unknown as string
  makeWhole(request, body)
  return body
}

/** A body read through Hono. @throws `config_invalid` if it was consumed without Hono, which then has no copy */
export function readByHono<Body>(reading: Promise<Body>): Promise<Body> {
  return reading.catch((cause: unknown) => {
    throw new RagGateError('config_invalid', 'Read the body by c.req, not c.req.raw', { cause })
  })
}

/** @throws `too_deep`, `invalid_json` */
export function jsonObjectIn(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    requirePlainStructure(text)
    value = JSON.parse(text)
  } catch (thrown) {
    throw isRagGateError(thrown) ? thrown : notJson()
  }
  if (!isRecord(value)) throw notJson()
  return value
}

function notJson(): RagGateError {
  return new RagGateError('invalid_json', 'The body is not a JSON object')
}

/** JSON without a charset, or with UTF-8. */
const JSON_TYPE = /^\s*application\/json\s*(?:;(?!\s*charset=(?!"?utf-?8"?\s*(?:;|$)))[^;]*)*$/i

function requireJson(contentType: string | null): void {
  if (!JSON_TYPE.test(`${contentType}`)) {
    throw new RagGateError('unsupported_media_type', 'Send application/json in UTF-8')
  }
}

/** Rejects a `Content-Encoding`: bodies are not decompressed. */
function requirePlain(contentEncoding: string | null): void {
  if (/^(?:identity)?$/i.test(contentEncoding ?? '')) return
  throw new RagGateError('unsupported_media_type', 'Send no Content-Encoding')
}

/** @returns `undefined` if the body is not UTF-8 */
async function readText(
  raw: Request,
  announced: string | null,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<string | undefined> {
  if (Number(announced) > maxBytes) throw tooLarge(maxBytes)
  let giveUp = (_late: RagGateError): void => undefined
  const tooLate = (): void => giveUp(new RagGateError('body_timeout', 'The body took too long'))
  const timer = setTimeout(tooLate, timeoutMs)
  // A read is always pending when the timer fires, because reads follow each other in one turn.
  const inTime = <Read>(reading: Promise<Read>): Promise<Read> =>
    new Promise((resolve, reject) => {
      giveUp = reject
      // A client that disconnects halfway is not a bug of the gate.
      reading.then(resolve, () => reject(notJson()))
    })
  try {
    // The transport enforces an announced length, so the body can be read in one call, which is much cheaper.
    if (announced !== null) return decoded(atMost(await inTime(raw.text()), maxBytes), announced)
    const read = await readAtMost(raw.body, maxBytes, inTime)
    if (!read) throw tooLarge(maxBytes)
    return utf8TextOf(read)
  } finally {
    clearTimeout(timer)
  }
}

/** Checks text decoded by the runtime, by its length in bytes: it drops a byte order mark (three bytes), and replaces invalid UTF-8 by U+FFFD, which is longer than all but the first three bytes of four. */
function decoded(text: string, announced: string): string | undefined {
  return text.includes('\ufffd') && ![0, 3].includes(Number(announced) - bytesOf(text)) ? undefined : text
}

/** Property with the parts from which a request is rebuilt on demand. */
const PARTS = Symbol('parts')

interface ReadRequest extends HonoRequest {
  [PARTS]?: { readonly raw: Request; readonly body: string }
}

/** Accessors shared by all requests, because closures per request would cost more than the rest of reading. */
const WHOLE_ON_DEMAND: PropertyDescriptor & ThisType<ReadRequest> = {
  get() {
    const { raw, body } = this[PARTS]!
    return (this.raw = new Request(raw, { method: raw.method, body }))
  },
  set(value: Request) {
    Object.defineProperty(this, 'raw', { value, writable: true })
  },
  enumerable: true,
  configurable: true,
}

/** Makes `c.req.raw` readable again. The request is rebuilt only on demand, as few handlers need it. */
function makeWhole(request: ReadRequest, body: string): void {
  request[PARTS] = { raw: request.raw, body }
  Object.defineProperty(request, 'raw', WHOLE_ON_DEMAND)
}

function atMost(text: string, maxBytes: number): string {
  if (text.length * 3 > maxBytes && bytesOf(text) > maxBytes) throw tooLarge(maxBytes)
  return text
}

function bytesOf(text: string): number {
  return utf8(text).length
}

function tooLarge(maxBytes: number): RagGateError {
  return new RagGateError('body_too_large', `The body may have at most ${maxBytes} bytes`)
}
