/** The check of an answer cache's options: once, when it is made. */
import {
  callable,
  group,
  methods,
  oneOf,
  type OptionKinds,
  required,
  requireOptions,
  string,
  strings,
  whole,
  withDefaults,
} from '../core/lib/options.ts'
import { RagGateError } from '../errors.ts'
import { CREDENTIAL_HEADERS, type CredentialHeader } from './cache-use.ts'
import type { AnswerCacheOptions } from './options.ts'

/** Options that have a default. */
type Defaulted = Required<Omit<AnswerCacheOptions, 'store' | 'purges' | 'coalescer' | 'stems' | 'revalidate'>>

/** The options of an answer cache, checked and completed. */
export interface CacheSettings
  extends
    Omit<Defaulted, 'vary' | 'ignoredCredentials'>,
    Pick<AnswerCacheOptions, 'store' | 'purges' | 'coalescer' | 'stems' | 'revalidate'> {
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

const VARY: OptionKinds<Defaulted['vary']> = { headers: strings, query: strings }

const OPTIONS: OptionKinds<AnswerCacheOptions> = {
  store: required(methods('get', 'put', 'delete')),
  purges: methods('known', 'purge'),
  coalescer: methods('join'),
  stems: callable,
  revalidate: callable,
  scope: oneOf('public', 'tenant', 'principal'),
  vary: group(VARY),
  deployment: string,
  model: string,
  prompt: string,
  staleIfErrorSeconds: whole(0, 30 * 86_400),
  staleWhileRevalidateSeconds: whole(0, 30 * 86_400),
  coalesceTimeoutMs: whole(0, 60_000),
  maxStoredBytes: whole(0, 100_000_000),
  ignoredCredentials: {
    words: `a list of ${CREDENTIAL_HEADERS.join(', ')}`,
    holds: (value) => Array.isArray(value) && value.every(oneOf(...CREDENTIAL_HEADERS).holds),
  },
  omitHeaders: strings,
  bypassesPerMinute: whole(0, 100_000),
}

/** @throws `config_invalid` when an option is out of range, or not known */
export function checkCacheOptions(options: AnswerCacheOptions): CacheSettings {
  requireOptions(options, OPTIONS, 'config_invalid', 'cache')
  const { vary, ignoredCredentials, ...others } = withDefaults(options, DEFAULTS)
  const { scope, staleWhileRevalidateSeconds, revalidate, omitHeaders } = others
  if (staleWhileRevalidateSeconds > 0 && revalidate === undefined) {
    throw new RagGateError(
      'config_invalid',
      'cache.staleWhileRevalidateSeconds needs cache.revalidate, which makes the new answer',
      { param: 'cache.revalidate' },
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
