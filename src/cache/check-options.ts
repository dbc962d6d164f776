/** Checks the options of an answer cache, once, when it is created. */
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
import { isCredential } from './cache-use.ts'
import type { AnswerCacheOptions } from './options.ts'

/** Options with a default. */
type Defaulted = Required<Omit<AnswerCacheOptions, 'store' | 'purges' | 'coalescer' | 'stems'>>

/** The options of an answer cache, checked, with defaults applied. */
export interface CacheSettings
  extends
    Omit<Defaulted, 'vary' | 'ignoredCredentials'>,
    Pick<AnswerCacheOptions, 'store' | 'purges' | 'coalescer' | 'stems'> {
  /** In lower case. */
  readonly varyHeaders: readonly string[]
  /** @default the whole query string, unless it holds the question */
  readonly varyQuery: readonly string[] | undefined
  /** Credential headers that do not cause a bypass. @default all */
  readonly allowedCredentials: readonly string[] | undefined
}

const DEFAULTS: Defaulted = {
  scope: 'principal',
  vary: {},
  version: '',
  staleIfErrorSeconds: 0,
  ignoredCredentials: [],
}

const VARY: OptionKinds<Defaulted['vary']> = {
  headers: {
    words: 'a list of names of headers',
    holds: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && /^[\w-]+$/.test(name)),
  },
  query: strings,
}

/** The options of an answer cache. */
export const CACHE_OPTIONS: OptionKinds<AnswerCacheOptions> = {
  store: required(methods('get', 'put', 'delete')),
  purges: methods('known', 'purge'),
  coalescer: methods('join'),
  stems: callable,
  scope: oneOf('public', 'tenant', 'principal'),
  vary: group(VARY),
  version: string,
  staleIfErrorSeconds: whole(0, 30 * 86_400),
  ignoredCredentials: {
    words: 'a list of headers with credentials',
    holds: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && isCredential(name)),
  },
}

/** @throws `config_invalid` for an invalid or unknown option */
export function checkCacheOptions(options: AnswerCacheOptions): CacheSettings {
  requireOptions(options, CACHE_OPTIONS, 'config_invalid', 'cache')
  const { vary, ignoredCredentials, ...others } = withDefaults(options, DEFAULTS)
  const { scope } = others
  const { headers = [], query } = vary
  const varyHeaders = lowerCase(headers)
  return {
    ...others,
    varyHeaders,
    varyQuery: query,
    allowedCredentials: scope === 'public' ? [...ignoredCredentials, ...varyHeaders] : undefined,
  }
}

const lowerCase = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase())
