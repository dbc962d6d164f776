/** What the Workers of `npm run bench -- first-decision` are given. */
import type { Passage } from '../../src/index.ts'

export interface Bindings {
  readonly PASSAGES: readonly Passage[]
  /** How long a retrieval takes, milliseconds; 0 for none at all. */
  readonly RETRIEVAL_MS: number
}

export async function waitFor(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
}
