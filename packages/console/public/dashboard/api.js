/** The statistics over HTTP, with the key of whoever signed in. */
const KEY = 'rag-gate-key'
const TIMEOUT_MS = 30_000
/** The gate ends what it sends line by line after a minute. */
const FOLLOWED_MS = 90_000

export const signedIn = () => sessionStorage.getItem(KEY) !== null
export const signIn = (key) => sessionStorage.setItem(KEY, key)
export const signOut = () => sessionStorage.removeItem(KEY)

/** What the API refused or could not do. */
export class ApiError extends Error {
  constructor(status, code, message, requestId) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
  }
}

/** The JSON of a path. Parameters that are empty are left out. */
export async function get(path, parameters = {}, signal) {
  const response = await call(path, parameters, signal)
  const body = await response.json().catch(() => undefined)
  if (!response.ok) throw errorFrom(response, body)
  return body
}

/** The lines of JSON that a path answers, as they come; `undefined` for a line that says nothing. Ends with the answer. */
export async function* follow(path, parameters, signal) {
  const response = await call(path, parameters, signal, {}, FOLLOWED_MS)
  if (!response.ok) throw errorFrom(response, await response.json().catch(() => undefined))
  let rest = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const told = line === '' ? undefined : JSON.parse(line)
      if (told?.error !== undefined) throw new ApiError(0, told.error.code, told.error.message)
      yield told
    }
  }
}

/** Sends JSON. */
export async function send(method, path, body) {
  const response = await call(path, {}, undefined, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await response.json().catch(() => undefined)
  if (!response.ok) throw errorFrom(response, answer)
  return answer
}

/** Saves what a path answers as a file. */
export async function save(path, parameters, name) {
  const response = await call(path, { ...parameters, format: 'csv' })
  if (!response.ok) throw errorFrom(response, await response.json().catch(() => undefined))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

async function call(path, parameters, signal, init = {}, timeoutMs = TIMEOUT_MS) {
  const asked = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '')
  const query = new URLSearchParams(asked).toString()
  const late = AbortSignal.timeout(timeoutMs)
  try {
    return await fetch(query === '' ? path : `${path}?${query}`, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}` },
      cache: 'no-store',
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    })
  } catch (thrown) {
    if (thrown?.name === 'AbortError') throw thrown
    throw new ApiError(0, 'unreachable', 'The gate cannot be reached. Check the connection, and that it is running.')
  }
}

function errorFrom(response, body) {
  const { code = 'unreadable', message = 'The answer could not be read.', request_id: id } = body?.error ?? {}
  return new ApiError(response.status, code, message, id)
}
