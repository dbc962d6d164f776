/** Client of the console's API, with the signed-in user's key. */
import type { Answers, WholeDecision } from './answers.ts'

const KEY = 'rag-gate-key'
const TIMEOUT_MS = 30_000
/** The gate ends JSON line responses after a minute. */
const FOLLOWED_MS = 90_000

/** Query parameters. Empty ones are left out. */
export type Parameters = Readonly<Record<string, string | number | undefined>>

export const signedIn = (): boolean => sessionStorage.getItem(KEY) !== null
export const signIn = (key: string): void => sessionStorage.setItem(KEY, key)
export const signOut = (): void => sessionStorage.removeItem(KEY)

/** An error of the API. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined

  constructor(status: number, code: string, message: string, requestId?: string) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
  }
}

/** The JSON of a path. */
export async function get<Path extends keyof Answers>(
  path: Path,
  parameters: Parameters = {},
  signal?: AbortSignal,
): Promise<Answers[Path]> {
  // The API's response for the path has this type.
  return (await json(await call(path, parameters, signal))) as Answers[Path]
}

/** All data about one decision. */
export async function getDecision(id: string, parameters: Parameters, signal: AbortSignal): Promise<WholeDecision> {
  // As above.
  return (await json(await call(`decisions/${encodeURIComponent(id)}`, parameters, signal))) as WholeDecision
}

/** The JSON lines of a response as they arrive; `undefined` for an empty line. Ends with the response. */
export async function* follow(
  path: string,
  parameters: Parameters,
  signal: AbortSignal,
): AsyncGenerator<unknown, void, void> {
  const response = await call(path, parameters, signal, {}, FOLLOWED_MS)
  if (!response.ok || response.body === null) throw await errorOf(response)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + read.value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const told: unknown = line === '' ? undefined : JSON.parse(line)
      const { error } = (told ?? {}) as { error?: { code: string; message: string } }
      if (error !== undefined) throw new ApiError(0, error.code, error.message)
      yield told
    }
  }
}

/** Sends JSON. */
export async function send(method: string, path: string, parameters: Parameters, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  await json(await call(path, parameters, undefined, { method, headers, body: JSON.stringify(body) }))
}

/** A path as CSV, and the cursor of the next page, if there is one. */
export async function getCsv(
  path: string,
  parameters: Parameters,
): Promise<{ readonly text: string; readonly cursor: string | undefined }> {
  const response = await call(path, { ...parameters, format: 'csv' })
  if (!response.ok) throw await errorOf(response)
  return { text: await response.text(), cursor: response.headers.get('x-next-cursor') ?? undefined }
}

async function call(
  path: string,
  parameters: Parameters,
  signal?: AbortSignal,
  init: RequestInit = {},
  timeoutMs = TIMEOUT_MS,
): Promise<Response> {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  const late = AbortSignal.timeout(timeoutMs)
  try {
    return await fetch(query.size === 0 ? path : `${path}?${query}`, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}` },
      cache: 'no-store',
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    })
  } catch (thrown) {
    if (isAbort(thrown)) throw thrown
    throw new ApiError(0, 'unreachable', 'The gate cannot be reached. Check the connection, and that it is running.')
  }
}

/** Whether a request was aborted. */
export const isAbort = (thrown: unknown): boolean => thrown instanceof DOMException && thrown.name === 'AbortError'

async function json(response: Response): Promise<unknown> {
  if (!response.ok) throw await errorOf(response)
  return response.json().catch((thrown: unknown) => {
    throw isAbort(thrown) ? thrown : unreadable(response)
  })
}

/** An answer that is not the gate's: a proxy in front of it may send its own. */
function unreadable({ status }: Response): ApiError {
  return new ApiError(status, 'unreadable', `The answer, with status ${status}, could not be read.`)
}

async function errorOf(response: Response): Promise<ApiError> {
  if (response.status === 401) return new ApiError(401, 'unauthorized', 'This token or key is no longer valid.')
  const body = (await response.json().catch(() => null)) as {
    error?: { code?: string; message?: string; request_id?: string }
  } | null
  const { code, message, request_id: id } = body?.error ?? {}
  if (code === undefined || message === undefined) return unreadable(response)
  return new ApiError(response.status, code, message, id)
}
