/** Which golden file is compared by what. */
import { compareDocument000 } from '../presets/two-tier/golden.ts'
import { compareDocument001 } from '../presets/weighted-signals/golden.ts'
import { compareDocument002 } from '../presets/multi-gate/golden.ts'
import { compareDocument003 } from '../presets/advisory/golden.ts'
import { compareDocument004 } from '../presets/sufficiency/golden.ts'
import type { Compared } from './vectors.ts'

type Compare = (golden: never) => Readonly<Record<string, readonly Compared[]>>

/** By file. Each comparison takes the form of its own file. */
export const COMPARISONS: Readonly<Record<string, Compare>> = {
  'golden-gate': compareDocument000,
  'golden-rag-confidence': compareDocument001,
  'golden-adr004-derived': compareDocument002,
  'golden-advisory': compareDocument003,
  'golden-evidence-gate': compareDocument004,
}
