/** What is measured of evidence. */
export { type MeasuredQuestion, type PartSignals, type Signals } from './measure.ts'
export { curves, type ScoreCurve } from './score-curves.ts'
export { type Memory, type Signal, type Subject } from './signal.ts'
export { TEXT_SIGNALS } from './text-signals.ts'
export { topCosine } from './top-cosine.ts'
export { questionTermCount } from './text-signals.ts'
