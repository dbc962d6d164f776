/** Bindings of the Workers of `npm run bench -- first-decision`. */
import type { Passage } from '../../src/index.ts'

export interface Bindings {
  readonly PASSAGES: readonly Passage[]
  /** Duration of a retrieval, milliseconds; 0 for none. */
  readonly RETRIEVAL_MS: number
}

export async function waitFor(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
}
