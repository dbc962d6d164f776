/**
 * Requests and responses without what Node makes of them: streams, signals that follow others, and checks of everything, which
 * is a tenth of all the work of a run. As much of both as is asked of them here.
 */

const NEVER = new AbortController().signal

/** A request that came whole, with its length, as clients send it, or as a stream. It stands for `Request` while a run lasts. */
export class PlainRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly signal: AbortSignal
  bodyUsed = false
  readonly #body: string | ReadableStream<Uint8Array>

  constructor(from: string | PlainRequest, { method, headers, signal, body }: RequestInit = {}) {
    const given = typeof from === 'string' ? undefined : from
    this.url = given?.url ?? String(from)
    this.method = method ?? given?.method ?? 'GET'
    this.headers = given?.headers ?? new Headers(headers)
    this.signal = signal ?? given?.signal ?? NEVER
    // Others are not sent here.
    this.#body = body as string | ReadableStream<Uint8Array>
    if (typeof body === 'string') this.headers.set('content-length', String(Buffer.byteLength(body)))
  }

  get body(): ReadableStream<Uint8Array> | null {
    return typeof this.#body === 'string' ? new Response(this.#body).body : this.#body
  }

  async text(): Promise<string> {
    this.bodyUsed = true
    return typeof this.#body === 'string' ? this.#body : new Response(this.#body).text()
  }
}

const UTF8 = new TextEncoder()

/** A response whose body is there at once. */
export function plainResponse(text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  let left: Uint8Array | undefined = UTF8.encode(text)
  const cancel = (): Promise<void> => Promise.resolve((left = undefined))
  const read = (): Promise<ReadableStreamReadResult<Uint8Array>> => {
    const value = left
    left = undefined
    return Promise.resolve(
      value === undefined || value.byteLength === 0 ? { done: true, value: undefined } : { done: false, value },
    )
  }
  const body = {
    locked: false,
    cancel,
    getReader: () => Object.assign({ read, cancel }, { locked: (body.locked = true) }),
  }
  return { status, headers: new Headers(headers), body } as unknown as Response
}
