/** Several indexes behind one address: by token, or by path. */
import { RagGateError, isRagGateError } from 'hono-rag-gate/errors'
import { byIndexIn, indexesOf, invalid } from '../configured-indexes.ts'
import { indexStub, type IndexObjects } from './index-stub.ts'
import { accessOf, failure, serveIndex, type ServeIndexOptions } from './serve-index.ts'

/** What the Worker is given. */
export interface IndexesEnv {
  /** The objects that hold the indexes, by name. */
  readonly VECTOR_INDEX: IndexObjects
  /** Settings by index name; one hybrid index called `default` without it. */
  readonly VECTOR_INDEXES?: unknown
  /** Secret, as each of these 32 characters and up: token of every index that has none of its own. */
  readonly INDEX_TOKEN?: string
  /** Secret: tokens by index name, as JSON text or as it is. */
  readonly INDEX_TOKENS?: unknown
  /** Secret: a token that reads every index which has none of its own for that. */
  readonly INDEX_READONLY_TOKEN?: string
  /** Secret: tokens that read, by index name, as JSON text or as it is. */
  readonly INDEX_READONLY_TOKENS?: unknown
}

/** Tokens by index name; `undefined` where every call is refused. */
type Tokens = ReadonlyMap<string, Pick<ServeIndexOptions, 'token' | 'readOnlyToken'>>

const MIN_TOKEN_LENGTH = 32

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
  const own = name === undefined ? undefined : tokens.get(name)
  if (name === undefined || own === undefined) return failure(401, 'Unauthorized: Invalid auth token')
  const options = { ...own, stub: indexStub(env.VECTOR_INDEX, name) }
  return serveIndex(request, named === undefined ? options : { ...options, prefix: `/indexes/${name}` })
}

/**
 * Reads the tokens of all configured indexes.
 *
 * @throws `config_invalid` with what is wrong, `secret_too_short`; never with a token in it
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
