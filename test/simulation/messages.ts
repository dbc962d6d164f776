/**
 * Requests and responses without what Node makes of them: streams, signals that follow others, and checks of everything, which
 * is a tenth of all the work of a run. As much of both as is asked of them here. They stand for Node's while a run lasts.
 */

const NEVER = new AbortController().signal
const NodeResponse = globalThis.Response
const UTF8 = new TextEncoder()

/** Names in lower case, in order, each with its values. */
export class PlainHeaders {
  readonly #values = new Map<string, string[]>()
  #isSorted = true

  constructor(from: PlainHeaders | Readonly<Record<string, string>> | readonly (readonly [string, string])[] = []) {
    if (from instanceof PlainHeaders) {
      for (const [name, values] of from.#values) this.#values.set(name, [...values])
      this.#isSorted = from.#isSorted
      return
    }
    const pairs = Array.isArray(from) ? (from as [string, string][]) : Object.entries(from)
    for (const [name, value] of pairs) this.append(name, value)
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase())?.join(', ') ?? null
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase())
  }

  set(name: string, value: unknown): void {
    this.#put(name.toLowerCase(), [String(value).trim()])
  }

  append(name: string, value: unknown): void {
    const lower = name.toLowerCase()
    this.#put(lower, [...(this.#values.get(lower) ?? []), String(value).trim()])
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase())
  }

  getSetCookie(): string[] {
    return [...(this.#values.get('set-cookie') ?? [])]
  }

  forEach(run: (value: string, name: string, headers: PlainHeaders) => void): void {
    for (const [name, value] of this) run(value, name, this)
  }

  entries(): IterableIterator<[string, string]> {
    return this[Symbol.iterator]()
  }

  keys(): IterableIterator<string> {
    return Array.from(this, ([name]) => name).values()
  }

  *[Symbol.iterator](): IterableIterator<[string, string]> {
    if (!this.#isSorted) {
      const sorted = [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1))
      this.#values.clear()
      for (const [name, values] of sorted) this.#values.set(name, values)
      this.#isSorted = true
    }
    for (const [name, values] of this.#values) {
      if (name === 'set-cookie') for (const value of values) yield [name, value]
      else yield [name, values.join(', ')]
    }
  }

  #put(name: string, values: string[]): void {
    this.#isSorted &&= this.#values.size === 0 || this.#values.has(name)
    this.#values.set(name, values)
  }
}

/** A request received whole, with its length, as clients send it, or as a stream. */
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
    // Other bodies are not sent here.
    this.#body = body as string | ReadableStream<Uint8Array>
    if (typeof body === 'string') this.headers.set('content-length', String(Buffer.byteLength(body)))
  }

  get body(): ReadableStream<Uint8Array> | null {
    return typeof this.#body === 'string' ? plainBody(this.#body) : this.#body
  }

  async text(): Promise<string> {
    this.bodyUsed = true
    return typeof this.#body === 'string' ? this.#body : new NodeResponse(this.#body).text()
  }
}

/** A body that is available at once. */
class PlainBody {
  locked = false
  readonly text: string
  #isLeft = true

  constructor(text: string) {
    this.text = text
  }

  cancel(): Promise<void> {
    this.#isLeft = false
    return Promise.resolve()
  }

  getReader(): object {
    if (this.locked) throw new TypeError('Invalid state: ReadableStream is locked')
    this.locked = true
    return { read: () => this.#read(), cancel: () => this.cancel() }
  }

  #read(): Promise<ReadableStreamReadResult<Uint8Array>> {
    const isLeft = this.#isLeft && this.text !== ''
    this.#isLeft = false
    return Promise.resolve(isLeft ? { done: false, value: UTF8.encode(this.text) } : { done: true, value: undefined })
  }
}

const plainBody = (text: string): ReadableStream<Uint8Array> =>
  new PlainBody(text) as unknown as ReadableStream<Uint8Array>

/** A response with a text, a stream, or no body. */
export class PlainResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  body: ReadableStream<Uint8Array> | null
  bodyUsed = false

  constructor(body: string | ReadableStream<Uint8Array> | null = null, given: ResponseInit = {}) {
    const { status = 200, statusText = '' } = given
    this.status = status
    this.statusText = statusText
    this.headers = new Headers(given.headers)
    this.body = typeof body === 'string' ? plainBody(body) : body
    if (typeof body === 'string' && !this.headers.has('content-type'))
      this.headers.set('content-type', 'text/plain;charset=UTF-8')
  }

  static json(value: unknown, given: ResponseInit = {}): PlainResponse {
    const response = new PlainResponse(null, given)
    response.body = plainBody(JSON.stringify(value))
    if (!response.headers.has('content-type')) response.headers.set('content-type', 'application/json')
    return response
  }

  get ok(): boolean {
    return this.status >= 200 && this.status <= 299
  }

  clone(): PlainResponse {
    const { body } = this
    if (this.bodyUsed || body?.locked === true) throw new TypeError('Response.clone: Body has already been consumed.')
    const cloned = new PlainResponse(null, this)
    if (body instanceof PlainBody) cloned.body = plainBody(body.text)
    else if (body !== null) [this.body, cloned.body] = body.tee()
    return cloned
  }

  async text(): Promise<string> {
    const { body } = this
    this.bodyUsed = true
    if (!(body instanceof PlainBody)) return new NodeResponse(body).text()
    body.getReader()
    return body.text
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}

/** A response whose body is available at once. */
export function plainResponse(text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  const response = new Response(null, { status, headers })
  return Object.assign(response, { body: plainBody(text) })
}
