import type { CollectionName } from './collection-writer.ts'
import { isRagGateError } from 'hono-rag-gate/errors'
import { type CorpusPorts, writeCorpus } from './write-corpus.ts'

/** Result of a sweep. */
export interface Sweep {
  readonly swept: readonly CollectionName[]
  /** Collections whose index or database failed; the next sweep tries again. */
  readonly failed: readonly CollectionName[]
}

/**
 * Removes chunks from the index that interrupted writers left behind, in collections without an active writer. For a
 * cron trigger; the next writer of a collection would do the same.
 *
 * @param limit maximum number of collections
 */
export async function sweepIndex(ports: CorpusPorts, limit: number): Promise<Sweep> {
  const swept: CollectionName[] = []
  const failed: CollectionName[] = []
  for (const name of await ports.collections.abandoned(ports.clock.nowMs(), limit)) {
    try {
      // Every lease begins with this cleanup.
      await writeCorpus(ports, name.tenant, name.id, async () => undefined)
      swept.push(name)
    } catch (thrown) {
      if (!isRagGateError(thrown)) throw thrown
      failed.push(name)
    }
  }
  return { swept, failed }
}
