/** The check of an answer cache's options: once, when it is made. */
import { isRecord } from '../core/lib/guards.ts'
import {
  invalid,
  requireKnown,
  requireOneOf,
  requireOptionalFunction,
  requireString,
  requireStrings,
  requireWhole,
} from '../middleware/check-values.ts'
import { CREDENTIAL_HEADERS, type CredentialHeader } from './cache-use.ts'
import type { AnswerCacheOptions } from './options.ts'

/** Options that have a default. */
type Defaulted = Required<Omit<AnswerCacheOptions, 'store' | 'purges' | 'coalescer' | 'reuse' | 'revalidate'>>

/** The options of an answer cache, checked and completed. */
export interface CacheSettings
  extends
    Omit<Defaulted, 'vary' | 'ignoredCredentials'>,
    Pick<AnswerCacheOptions, 'store' | 'purges' | 'coalescer' | 'reuse' | 'revalidate'> {
  /** In lower case. */
  readonly varyHeaders: readonly string[]
  readonly varyQuery: readonly string[]
  /** Credentials that keep a request out of a public cache. */
  readonly barredCredentials: readonly CredentialHeader[]
}

const DEFAULTS: Defaulted = {
  scope: 'principal',
  vary: {},
  deployment: '',
  model: '',
  prompt: '',
  staleIfErrorSeconds: 0,
  staleWhileRevalidateSeconds: 0,
  coalesceTimeoutMs: 10_000,
  maxStoredBytes: 262_144,
  ignoredCredentials: [],
  omitHeaders: [],
  bypassesPerMinute: 6,
}

/** Options that are whole numbers from 0 to these. */
const MOST = {
  staleIfErrorSeconds: 30 * 86_400,
  staleWhileRevalidateSeconds: 30 * 86_400,
  coalesceTimeoutMs: 60_000,
  maxStoredBytes: 100_000_000,
  bypassesPerMinute: 100_000,
} as const

/** Methods without which what is given is none. */
const METHODS = {
  store: ['get', 'put', 'delete'],
  purges: ['known', 'purge'],
  coalescer: ['join'],
  reuse: ['isSameQuestion'],
} as const

/** @throws `config_invalid` when an option is out of range, or not known */
export function checkCacheOptions(options: AnswerCacheOptions): CacheSettings {
  requireKnown('cache', options, [...Object.keys({ ...METHODS, ...DEFAULTS }), 'revalidate'])
  if (options.store === undefined) throw invalid('cache.store must say where answers are kept', 'cache.store')
  for (const name of namesOf(METHODS)) requireMethods(name, options[name])
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  // Each member is one of the options, by its own name.
  const completed = { ...DEFAULTS, ...Object.fromEntries(given) } as Defaulted & AnswerCacheOptions
  const { vary, ignoredCredentials, ...others } = completed
  const { scope, staleWhileRevalidateSeconds, revalidate, omitHeaders } = others
  requireOneOf('cache.scope', scope, ['public', 'tenant', 'principal'])
  for (const name of ['deployment', 'model', 'prompt'] as const) requireString(`cache.${name}`, others[name])
  for (const name of namesOf(MOST)) requireWhole(`cache.${name}`, others[name], 0, MOST[name])
  requireOptionalFunction('cache.revalidate', revalidate)
  if (staleWhileRevalidateSeconds > 0 && revalidate === undefined) {
    throw invalid(
      'cache.staleWhileRevalidateSeconds needs cache.revalidate, which makes the new answer',
      'cache.revalidate',
    )
  }
  requireStrings('cache.ignoredCredentials', ignoredCredentials)
  for (const name of ignoredCredentials) requireOneOf('cache.ignoredCredentials', name, CREDENTIAL_HEADERS)
  requireStrings('cache.omitHeaders', omitHeaders)
  requireKnown('cache.vary', vary, ['headers', 'query'])
  const { headers = [], query = [] } = vary
  requireStrings('cache.vary.headers', headers)
  requireStrings('cache.vary.query', query)
  const varyHeaders = lowerCase(headers)
  const harmless: readonly string[] = [...ignoredCredentials, ...varyHeaders]
  return {
    ...others,
    varyHeaders,
    varyQuery: query,
    barredCredentials: scope === 'public' ? CREDENTIAL_HEADERS.filter((name) => !harmless.includes(name)) : [],
    omitHeaders: lowerCase(omitHeaders),
  }
}

/** The keys of a literal, which has no others. */
const namesOf = <Names extends object>(literal: Names): (keyof Names)[] => Object.keys(literal) as (keyof Names)[]

const lowerCase = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase())

function requireMethods(name: keyof typeof METHODS, given: unknown): void {
  if (given === undefined) return
  const missing = METHODS[name].find((method) => !isRecord(given) || typeof given[method] !== 'function')
  if (missing !== undefined) throw invalid(`cache.${name} has no method ${missing}`, `cache.${name}`)
}
