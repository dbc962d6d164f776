import { kindOfCommand } from '../protocol/protocol.ts'
import type { IndexStub } from './index-stub.ts'

/** Options of `serveIndex`. */
export interface ServeIndexOptions {
  /** The token that clients must send. Without one, every request is rejected. */
  readonly token: string | undefined
  /** A token for clients that may only read. */
  readonly readOnlyToken?: string | undefined
  readonly stub: IndexStub
  /**
   * Path prefix before the commands, such as `/vector`; without a slash at the end.
   *
   * @default ''
   */
  readonly prefix?: string
}

/** What a token permits. */
export type Access = 'all' | 'read' | 'none'

/**
 * Checks the bearer token, and forwards the request to the index without token and prefix. Clients get the URL
 * `<origin><prefix>` and the `token`.
 */
export async function serveIndex(request: Request, options: ServeIndexOptions): Promise<Response> {
  const prefix = options.prefix ?? ''
  const url = new URL(request.url)
  if (!url.pathname.startsWith(`${prefix}/`)) return failure(404, 'Not Found')
  const access = await accessOf(request, options)
  if (access === 'none') return failure(401, 'Unauthorized: Invalid auth token')
  url.pathname = url.pathname.slice(prefix.length)
  const [, command = ''] = url.pathname.split('/')
  if (access === 'read' && kindOfCommand(command) === 'writes') return failure(403, 'Forbidden: The token is read-only')
  const forwarded = new Request(url, request)
  forwarded.headers.delete('authorization')
  return options.stub.fetch(forwarded)
}

/** What the bearer token of a request permits. */
export async function accessOf(
  request: Request,
  { token, readOnlyToken }: Pick<ServeIndexOptions, 'token' | 'readOnlyToken'>,
): Promise<Access> {
  if (await isAuthorized(request, token)) return 'all'
  return (await isAuthorized(request, readOnlyToken)) ? 'read' : 'none'
}

/** Compares hashes, so that neither timing nor length reveals anything about the token. */
async function isAuthorized(request: Request, token: string | undefined): Promise<boolean> {
  const [, shown] = /^bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (token === undefined || token === '' || shown === undefined) return false
  const [expected, given] = await Promise.all([sha256(token), sha256(shown)])
  return crypto.subtle.timingSafeEqual(expected, given)
}

function sha256(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
}

/** An error response in the form that clients parse. */
export function failure(status: 401 | 403 | 404 | 500, message: string): Response {
  return Response.json({ error: message, status }, { status })
}
