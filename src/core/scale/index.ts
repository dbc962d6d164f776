export { learnScale, type LearnScaleOptions, type LeaveOut, largeDocuments, observeWindow } from './learn-scale.ts'
export { ADVISED_TAIL, confidenceAtTail, REFUSED_TAIL, scaleOf, tailOf } from './scale.ts'
export type { NoScale, Scale, ScaleObservation, ScaleReading } from './scale.ts'
export { drawWindows, type ScalePassage, type ScaleWindow } from './windows.ts'
