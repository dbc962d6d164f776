export { type CheckLine, checkLines } from './check-lines.ts'
export { TWO_TIER_SETTINGS, twoTier, type TwoTierOptions, twoTierPreset } from './two-tier.ts'
export { retrievalScore, type RetrievalScoreOptions } from './retrieval-score.ts'
export { topRelevance } from './top-relevance.ts'
