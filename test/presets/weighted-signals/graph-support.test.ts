import { expect, it } from 'vitest'
import type { ScoreKind, Scores } from '../../../src/core/evidence/chunk.ts'
import type { Evidence } from '../../../src/core/evidence/evidence.ts'
import { graphConsulted, graphSupport } from '../../../packages/presets/src/weighted-signals/graph-support.ts'
import { scoredEvidence } from '../../fixtures/evidence.ts'

const evidence = (kinds: readonly ScoreKind[], ...scores: Scores[]): Evidence => ({
  ...scoredEvidence(scores.map((each) => ({ scores: each }))),
  kinds,
})

it.each<[string, Evidence, boolean, boolean]>([
  ['was asked and found nothing', evidence(['convex', 'graph-boost'], { convex: 0.5 }), true, false],
  ['was asked for no chunks', evidence(['graph-boost']), true, false],
  ['raised one chunk of two', evidence(['convex'], { convex: 0.5 }, { 'graph-boost': 0.1 }), true, true],
  ['was not asked', evidence(['convex'], { convex: 0.5 }), false, false],
])('graph support when the knowledge graph %s', (_, given, consulted, support) => {
  expect([graphConsulted(given), graphSupport(given)]).toEqual([consulted, support])
})
