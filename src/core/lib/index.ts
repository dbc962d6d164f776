/** Small pure tools that every part is made with: canonical texts, checks of options, numbers, digests, ids. */
export { canonicalJson, lengthPrefixed } from './canonical.ts'
export { solve } from './cholesky.ts'
export { isRecord } from './guards.ts'
export { type CollectionId, type CorpusVersion, type Tenant, chunkId, namespaceOf } from './ids.ts'
export type { Json } from './json.ts'
export { keepNewest } from './keep-newest.ts'
export { RATIO_TOLERANCE, clamp01, finite, meets } from './numbers.ts'
export {
  type OptionKinds,
  anything,
  boolean,
  callable,
  group,
  list,
  methods,
  number,
  object,
  oneOf,
  requireOptions,
  required,
  string,
  strings,
} from './options.ts'
export { RRF_K, distributionScores, reciprocalRanks } from './rank-scores.ts'
export { floored, percent, roundHalfEven } from './rounding.ts'
export { sameText } from './same-text.ts'
export { base32, hex, sha256, utf8 } from './sha256.ts'
export { meanOf, type Pair, pearson, populationDeviation, spearman } from './statistics.ts'
export { dot } from './vectors.ts'
export { onceEach } from './once-each.ts'
export { text, whole } from './options.ts'
export { cosine } from './vectors.ts'
export { type OptionKind, above } from './options.ts'
export { recordedFlag, recordedNumber } from './numbers.ts'
