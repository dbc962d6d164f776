/** Serves several indexes at one URL, chosen by token or by path. */
import { RagGateError, isRagGateError } from 'hono-rag-gate/errors'
import { byIndexIn, indexesOf, invalid } from '../configured-indexes.ts'
import { indexStub, type IndexObjects } from './index-stub.ts'
import { accessOf, failure, serveIndex, type ServeIndexOptions } from './serve-index.ts'

/** Environment of the Worker. */
export interface IndexesEnv {
  /** Binding of the objects that hold the indexes. */
  readonly VECTOR_INDEX: IndexObjects
  /** Settings by index name; by default one hybrid index called `default`. */
  readonly VECTOR_INDEXES?: unknown
  /** Secret of at least 32 characters, as are the others: token of every index without its own. */
  readonly INDEX_TOKEN?: string
  /** Secret: tokens by index name, as an object or JSON text. */
  readonly INDEX_TOKENS?: unknown
  /** Secret: read-only token of every index without its own. */
  readonly INDEX_READONLY_TOKEN?: string
  /** Secret: read-only tokens by index name, as an object or JSON text. */
  readonly INDEX_READONLY_TOKENS?: unknown
}

/** Tokens by index name; `undefined` if every request is rejected. */
type Tokens = ReadonlyMap<string, Pick<ServeIndexOptions, 'token' | 'readOnlyToken'>>

const MIN_TOKEN_LENGTH = 32

const known = new WeakMap<IndexesEnv, Tokens>()

/**
 * Forwards a request to its index. Under `/indexes/<name>` the path chooses the index, and its token is required;
 * elsewhere the token chooses: an index's own token that index, the common one the first index without its own.
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
  // An unknown name gives the same response as a wrong token, so that names cannot be guessed.
  const own = name === undefined ? undefined : tokens.get(name)
  if (name === undefined || own === undefined) return failure(401, 'Unauthorized: Invalid auth token')
  const options = { ...own, stub: indexStub(env.VECTOR_INDEX, name) }
  return serveIndex(request, named === undefined ? options : { ...options, prefix: `/indexes/${name}` })
}

/**
 * Parses the tokens of all configured indexes.
 *
 * @throws `config_invalid` with the problem, `secret_too_short`; messages never contain a token
 */
export function tokensOf(env: Omit<IndexesEnv, 'VECTOR_INDEX'>): Tokens {
  const names = [...indexesOf(env).keys()]
  const own = ownTokens('INDEX_TOKENS', env.INDEX_TOKENS, names)
  const reading = ownTokens('INDEX_READONLY_TOKENS', env.INDEX_READONLY_TOKENS, names)
  const common = [env.INDEX_TOKEN, env.INDEX_READONLY_TOKEN].filter((token) => token !== undefined)
  const all = [...own.values(), ...reading.values(), ...common]
  if (new Set(all).size < all.length) {
    throw invalid('INDEX_TOKENS', 'Each index needs a token of its own: two in INDEX_TOKENS are equal')
  }
  if (all.some((token) => token.length < MIN_TOKEN_LENGTH)) {
    const message = `INDEX_TOKEN, INDEX_TOKENS and those that read need ${MIN_TOKEN_LENGTH} characters each`
    throw new RagGateError('secret_too_short', message, { param: 'INDEX_TOKENS' })
  }
  return new Map(
    names.map((name) => [
      name,
      { token: own.get(name) ?? env.INDEX_TOKEN, readOnlyToken: reading.get(name) ?? env.INDEX_READONLY_TOKEN },
    ]),
  )
}

async function openedBy(request: Request, tokens: Tokens): Promise<string | undefined> {
  for (const [name, own] of tokens) if ((await accessOf(request, own)) !== 'none') return name
  return undefined
}

function ownTokens(variable: string, given: unknown, names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(byIndexIn(variable, given) ?? {}).map(([name, token]) => {
      if (!names.includes(name)) throw invalid(variable, `${variable} names "${name}", which VECTOR_INDEXES does not`)
      if (typeof token !== 'string' || !/^\S+$/.test(token)) {
        throw invalid(variable, `${variable}: the token of "${name}" must be a string without spaces`)
      }
      return [name, token]
    }),
  )
}
