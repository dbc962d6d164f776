/** The check of an answer cache's options: once, when it is made. */
import { isRecord } from '../core/lib/guards.ts'
import {
  callable,
  type Check,
  type Checks,
  group,
  invalid,
  oneOf,
  string,
  strings,
  wholeWithin,
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

const VARY: Checks<Defaulted['vary']> = { headers: strings, query: strings }

const OPTIONS: Checks<AnswerCacheOptions> = {
  store: methods('get', 'put', 'delete'),
  purges: methods('known', 'purge'),
  coalescer: methods('join'),
  reuse: methods('isSameQuestion'),
  revalidate: callable,
  scope: oneOf('public', 'tenant', 'principal'),
  vary: group(VARY),
  deployment: string,
  model: string,
  prompt: string,
  staleIfErrorSeconds: wholeWithin(0, 30 * 86_400),
  staleWhileRevalidateSeconds: wholeWithin(0, 30 * 86_400),
  coalesceTimeoutMs: wholeWithin(0, 60_000),
  maxStoredBytes: wholeWithin(0, 100_000_000),
  ignoredCredentials: (value, option) => {
    if (!Array.isArray(value)) strings(value, option)
    else for (const name of value) oneOf(...CREDENTIAL_HEADERS)(name, option)
  },
  omitHeaders: strings,
  bypassesPerMinute: wholeWithin(0, 100_000),
}

/** @throws `config_invalid` when an option is out of range, or not known */
export function checkCacheOptions(options: AnswerCacheOptions): CacheSettings {
  group(OPTIONS)(options, 'cache')
  if (options.store === undefined) throw invalid('cache.store must say where answers are kept', 'cache.store')
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  // Each member is one of the options, by its own name.
  const completed = { ...DEFAULTS, ...Object.fromEntries(given) } as Defaulted & AnswerCacheOptions
  const { vary, ignoredCredentials, ...others } = completed
  const { scope, staleWhileRevalidateSeconds, revalidate, omitHeaders } = others
  if (staleWhileRevalidateSeconds > 0 && revalidate === undefined) {
    throw invalid(
      'cache.staleWhileRevalidateSeconds needs cache.revalidate, which makes the new answer',
      'cache.revalidate',
    )
  }
  const { headers = [], query = [] } = vary
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

const lowerCase = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase())

/** Something with these methods: without one of them it is not what is asked for. */
function methods(...names: readonly string[]): Check {
  return (given, option) => {
    const missing = names.find((name) => !isRecord(given) || typeof given[name] !== 'function')
    if (missing !== undefined) throw invalid(`${option} has no method ${missing}`, option)
  }
}
