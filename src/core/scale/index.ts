export { appliedScale, type CollectionScale, isCollectionScale, type LearnedFrom } from './collection-scale.ts'
export {
  learnFromWindows,
  type LearnFromWindowsOptions,
  type LeaveOut,
  largeDocuments,
  learnWithMeaning,
  observeWindow,
} from './learn-from-windows.ts'
export { ADVISED_TAIL, confidenceAtTail, REFUSED_TAIL, scaleOf, tailOf } from './scale.ts'
export type { NoScale, Scale, ScaleObservation, ScaleReading } from './scale.ts'
export { drawWindows, type ScalePassage, type ScaleWindow } from './windows.ts'
