/** What a collection learned from its own documents, and how scores are read on it. */
export {
  appliedScale,
  type AppliedScale,
  type CollectionScale,
  isCollectionScale,
  type LearnedFrom,
} from './collection-scale.ts'
export {
  byLength,
  type ConfidenceScale,
  deviationsOf,
  deviationsOn,
  logOdds,
  type MeaningScale,
  REFUSED_BELOW,
  type ScoreScale,
} from './scale.ts'
