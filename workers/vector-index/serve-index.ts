/** What answers a request for an index: the stub of a `VectorIndex`. */
export interface IndexStub {
  fetch(request: Request): Promise<Response>
}

/** Where an index is served from. */
export interface ServeIndexOptions {
  /** The token that clients must show. Without one, nobody gets in. */
  readonly token: string | undefined
  readonly stub: IndexStub
  /**
   * Path that stands before the commands, such as `/vector`; no slash at the end.
   *
   * @default ''
   */
  readonly prefix?: string
}

/**
 * Checks the bearer token and hands the request on to the index, without token and prefix. The URL and token pair that
 * a client is given is `<origin><prefix>` and `token`.
 */
export async function serveIndex(request: Request, options: ServeIndexOptions): Promise<Response> {
  const prefix = options.prefix ?? ''
  const url = new URL(request.url)
  if (!url.pathname.startsWith(`${prefix}/`)) return failure(404, 'Not Found')
  if (!(await isAuthorized(request, options.token))) return failure(401, 'Unauthorized: Invalid auth token')
  url.pathname = url.pathname.slice(prefix.length)
  const forwarded = new Request(url, request)
  forwarded.headers.delete('authorization')
  return options.stub.fetch(forwarded)
}

/** Compares hashes, so that neither the time taken nor a length tells anything about the token. */
export async function isAuthorized(request: Request, token: string | undefined): Promise<boolean> {
  const [, shown] = /^bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (token === undefined || token === '' || shown === undefined) return false
  const [expected, given] = await Promise.all([sha256(token), sha256(shown)])
  return crypto.subtle.timingSafeEqual(expected, given)
}

function sha256(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
}

/** An error in the shape that clients read. */
export function failure(status: 401 | 404 | 500, message: string): Response {
  return Response.json({ error: message, status }, { status })
}
