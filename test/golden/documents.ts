/** Which golden file is compared by what. */
import { compareDocument000 } from './document-000.ts'
import { compareDocument001 } from './document-001.ts'
import { compareDocument002 } from './document-002.ts'
import { compareDocument003 } from './document-003.ts'
import { compareDocument004 } from './document-004.ts'
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
