/** Signals of evidence. */
export type { MeasuredQuestion, PartSignals, Signals } from './measure.ts'
export { curves, type ScoreCurve } from './score-curves.ts'
export type { Memory, Signal, Subject } from './signal.ts'
export { questionTermCount, TEXT_SIGNALS } from './text-signals.ts'
export { topCosine } from './top-cosine.ts'
