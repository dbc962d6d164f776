/** Several indexes behind one address: by token, or by path. */
import { RagGateError, isRagGateError } from '../../src/errors.ts'
import { indexesOf } from './configured-indexes.ts'
import { failure, isAuthorized, serveIndex, type IndexStub } from './serve-index.ts'

/** What the Worker is given. */
export interface IndexesEnv {
  /** The objects that hold the indexes, by name. */
  readonly VECTOR_INDEX: { getByName(name: string): IndexStub }
  /** Settings by index name; one hybrid index called `default` without it. */
  readonly VECTOR_INDEXES?: unknown
  /** Secret: token of every index that has none of its own. */
  readonly INDEX_TOKEN?: string
  /** Secret: tokens by index name, as JSON text or as it is. */
  readonly INDEX_TOKENS?: unknown
}

/** Tokens by index name; `undefined` where nobody gets in. */
type Tokens = ReadonlyMap<string, string | undefined>

const known = new WeakMap<IndexesEnv, Tokens>()

/**
 * Hands a request on to its index. Under `/indexes/<name>` the path names the index, and its token is needed; elsewhere
 * the token alone does: an index's own opens it, the common one opens the first index that has none of its own.
 */
export async function serveIndexes(request: Request, env: IndexesEnv): Promise<Response> {
  let tokens: Tokens
  try {
    tokens = known.get(env) ?? tokensOf(env)
    known.set(env, tokens)
  } catch (thrown) {
    if (!isRagGateError(thrown)) throw thrown
    console.error(`[vector-index] ${thrown.message}`)
    return failure(500, `The indexes are not configured correctly: ${thrown.message}`)
  }
  const [, named] = /^\/indexes\/([^/]+)\//.exec(new URL(request.url).pathname) ?? []
  const name = named ?? (await openedBy(request, tokens))
  // An unknown name is answered as a wrong token is, so that names cannot be tried out.
  if (name === undefined || !tokens.has(name)) return failure(401, 'Unauthorized: Invalid auth token')
  const options = { token: tokens.get(name), stub: env.VECTOR_INDEX.getByName(name) }
  return serveIndex(request, named === undefined ? options : { ...options, prefix: `/indexes/${name}` })
}

/**
 * Reads the tokens of all configured indexes.
 *
 * @throws `config_invalid` with what is wrong; never with a token in it
 */
export function tokensOf(env: Omit<IndexesEnv, 'VECTOR_INDEX'>): Tokens {
  const names = [...indexesOf(env).keys()]
  const own = ownTokens(env.INDEX_TOKENS)
  const stranger = [...own.keys()].find((name) => !names.includes(name))
  if (stranger !== undefined) throw invalid(`INDEX_TOKENS names "${stranger}", which VECTOR_INDEXES does not`)
  const all = [...own.values(), ...(env.INDEX_TOKEN === undefined ? [] : [env.INDEX_TOKEN])]
  if (new Set(all).size < all.length)
    throw invalid('Each index needs a token of its own: two in INDEX_TOKENS are equal')
  return new Map(names.map((name) => [name, own.get(name) ?? env.INDEX_TOKEN]))
}

async function openedBy(request: Request, tokens: Tokens): Promise<string | undefined> {
  for (const [name, token] of tokens) if (await isAuthorized(request, token)) return name
  return undefined
}

function ownTokens(given: unknown): ReadonlyMap<string, string> {
  const value = typeof given === 'string' && given !== '' ? parsed(given) : given
  if (value === undefined || value === '') return new Map()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('INDEX_TOKENS must be an object of tokens by index name')
  }
  return new Map(
    Object.entries(value).map(([name, token]: [string, unknown]) => {
      if (typeof token !== 'string' || !/^\S+$/.test(token)) {
        throw invalid(`INDEX_TOKENS: the token of "${name}" must be a string without spaces`)
      }
      return [name, token]
    }),
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('INDEX_TOKENS is not valid JSON')
  }
}

function invalid(message: string): RagGateError {
  return new RagGateError('config_invalid', message, { param: 'INDEX_TOKENS' })
}
