/** Small pure functions used everywhere: canonical texts, checks of options, numbers, digests, ids. */
export { canonicalJson, isExact, isWellFormed, lengthPrefixed } from './canonical.ts'
export { isRecord, memberAt } from './guards.ts'
export { chunkId, type CollectionId, type CorpusVersion, namespaceOf, type Tenant, timeOfId } from './ids.ts'
export { defined } from './defined.ts'
export type { Json } from './json.ts'
export { keepNewest } from './keep-newest.ts'
export { clamp01, COSINE_TOLERANCE, finite, meets, RATIO_TOLERANCE, recordedFlag, recordedNumber } from './numbers.ts'
export { oncePer } from './once-per.ts'
export {
  anything,
  boolean,
  callable,
  deadline,
  group,
  list,
  methods,
  number,
  object,
  oneOf,
  type OptionKind,
  type OptionKinds,
  required,
  requireOptions,
  string,
  stringOrFunction,
  strings,
  stringsOrAny,
  text,
  whole,
} from './options.ts'
export { distributionScores, reciprocalRanks, RRF_K } from './rank-scores.ts'
export { floored, percent, roundHalfEven } from './rounding.ts'
export { base32, hex, sha256, utf8 } from './sha256.ts'
export { meanOf } from './statistics.ts'
export { cosine, dot } from './vectors.ts'
