/** Scales learned from a collection's own documents, and their application to scores. */
export {
  appliedScale,
  type AppliedScale,
  type CollectionScale,
  isCollectionScale,
  type LearnedFrom,
  scaledFor,
  type ScaledPolicy,
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
