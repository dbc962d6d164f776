/** Asks a question set windows of its own passages, as for learning a scale. */
import { type AskWindow, learnFromWindows } from '../../packages/calibration/src/scale/learn-from-windows.ts'
import { confidenceOfWindow } from '../../packages/ingest/src/learn-scale.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { unscaled } from '../../src/core/policy/scaled.ts'
import type { ConfidenceScale } from '../../src/core/scale/index.ts'
import { type BenchGate, benchGate, type Searched } from './bench-gate.ts'
import { passageOf, readCorpus, type SearchableSet } from './question-sets.ts'

/** The gate's result. */
export type Asked = Awaited<ReturnType<BenchGate>>

/** Asks a set under a policy. */
export function askWithout(set: Searched, policy: Policy): AskWindow<Asked> {
  return {
    retrieve: benchGate(set, { policy }),
    confidence: ({ decision }) => confidenceOfWindow(policy, decision),
    meaning: ({ decision }) => decision.signals.curves?.cosine?.scores[0],
  }
}

/** As many as the ready Worker asks, which are the fewest. */
const WINDOWS = 36

/** The scale that a collection learns after ingestion. @param name of the set */
export async function scaleOf(name: string, set: SearchableSet, policy: Policy): Promise<ConfidenceScale> {
  const scale = await learnFromWindows({
    ...askWithout(set, definePolicy({ ...policy, confidence: unscaled(policy.confidence) })),
    passages: readCorpus(name).map(passageOf),
    language: policy.language,
    windows: WINDOWS,
  })
  if (scale === undefined) throw new Error(`${name} has no scale`)
  return scale
}
