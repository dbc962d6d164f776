/** A JSON body, read within bounds: bytes are counted before anything is parsed. */
import type { HonoRequest } from 'hono'
import { RagGateError } from '../errors.ts'
import { readAtMost } from '../http/read-at-most.ts'
import { hasMemberTwice } from './member-twice.ts'

/** Bounds of a body. */
export interface BodyLimits {
  /** Bytes. */
  readonly maxBytes: number
  /** Until the last byte is there. */
  readonly timeoutMs: number
}

const MAX_DEPTH = 32

/**
 * Reads a request's body as a JSON object. Later readers (`c.req.json()`) still find the body.
 *
 * @throws `unsupported_media_type`, `body_too_large`, `body_timeout`, `invalid_utf8`, `too_deep`, `invalid_json`
 */
export async function readJsonObject(
  request: HonoRequest,
  limits: BodyLimits,
): Promise<Readonly<Record<string, unknown>>> {
  requireJson(request.header('content-type'))
  requirePlain(request.header('content-encoding'))
  const text = decode(await readBytes(request, limits))
  requireShallow(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new RagGateError('invalid_json', 'The body is not JSON', { cause })
  }
  if (hasMemberTwice(text)) throw new RagGateError('invalid_json', 'A member stands twice in one object of the body')
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new RagGateError('invalid_json', 'The body must be a JSON object')
  }
  // An object that is no array has string keys and values of any kind.
  return value as Readonly<Record<string, unknown>>
}

function requireJson(contentType: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='))
  if (type.trim() !== 'application/json' || (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))) {
    throw new RagGateError('unsupported_media_type', 'Send JSON as application/json in UTF-8')
  }
}

/** The body is read as it comes: what is compressed, or says that it is, is not. */
function requirePlain(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || /^\s*(?:identity\s*)?$/i.test(contentEncoding)) return
  throw new RagGateError('unsupported_media_type', 'Send the body without a Content-Encoding')
}

async function readBytes(request: HonoRequest, { maxBytes, timeoutMs }: BodyLimits): Promise<ArrayBuffer> {
  const declared = Number(request.header('content-length') ?? NaN)
  if (declared > maxBytes) throw tooLarge(maxBytes)
  const { body, bodyUsed } = request.raw
  if (bodyUsed || body === null) {
    const bytes = await request.arrayBuffer()
    if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes)
    return bytes
  }
  const bytes = await readStream(body, maxBytes, timeoutMs)
  // Hono answers every later reader of the body from here: it keeps promises, though its type names what they give.
  request.bodyCache.arrayBuffer = Promise.resolve(bytes) as unknown as ArrayBuffer
  // And whoever passes the request itself on finds its body whole.
  request.raw = new Request(request.raw, { method: request.raw.method, body: bytes })
  return bytes
}

async function readStream(body: ReadableStream<Uint8Array>, maxBytes: number, timeoutMs: number): Promise<ArrayBuffer> {
  let tooLate = (): void => undefined
  const late = new Promise<never>((_, reject) => {
    tooLate = () => reject(new RagGateError('body_timeout', 'The body took too long to arrive'))
  })
  const timer = setTimeout(() => tooLate(), timeoutMs)
  try {
    const bytes = await readAtMost(body, maxBytes, (promise) => Promise.race([promise, late]))
    if (bytes === undefined) throw tooLarge(maxBytes)
    return bytes.buffer
  } finally {
    clearTimeout(timer)
  }
}

function tooLarge(maxBytes: number): RagGateError {
  return new RagGateError('body_too_large', `The body may have at most ${maxBytes} bytes`)
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

function decode(bytes: ArrayBuffer): string {
  try {
    return UTF8.decode(bytes)
  } catch (cause) {
    throw new RagGateError('invalid_utf8', 'The body is not UTF-8', { cause })
  }
}

/** Counts brackets outside strings, so that a hostile body is refused before a recursive parser sees it. */
function requireShallow(json: string): void {
  let depth = 0
  let inString = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) throw new RagGateError('too_deep', `The body may nest at most ${MAX_DEPTH} levels`)
    } else if (code === 0x5d || code === 0x7d) depth--
  }
}
