/** An index that is ready to answer: its settings, what it stores, and what it needs of the platform. */
import { RagGateError } from 'hono-rag-gate/errors'
import { FeatureMemory } from '../embed/embedder.ts'
import { DailyUse } from './daily-use.ts'
import type { MakeKernel } from '../search/kernel.ts'
import { limitsOf } from '../plan-limits.ts'
import { ResumableQueries } from './resumable-queries.ts'
import { textOf, type IndexStorage } from '../store/schema.ts'
import { indexSettings, kindOf, type IndexSettings } from '../settings.ts'
import { VectorStore } from '../store/store.ts'

/** Clock, randomness and the compiled kernel, given from outside. */
export interface Platform {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  /** 0 up to, not including, 1. */
  readonly random: () => number
  readonly randomUuid: () => string
  /** Makes the kernel that scans dense rows; without one plain JavaScript does, some ten times slower. */
  readonly makeKernel?: MakeKernel
}

/** Everything that a command works on. */
export interface EmbeddedIndex {
  readonly settings: IndexSettings
  readonly store: VectorStore
  readonly resumable: ResumableQueries
  readonly use: Pick<DailyUse, 'count'>
  /** Features of terms met before, for embedding. */
  readonly features: FeatureMemory
  readonly platform: Platform
}

/**
 * Opens the index in a storage, making its tables where they are missing.
 *
 * @throws `config_invalid` when the storage holds vectors that were made for other settings, or when the plan does not
 * allow the dimension
 */
export function openIndex(storage: IndexStorage, settings: IndexSettings, platform: Platform): EmbeddedIndex {
  const { dimension } = limitsOf(settings.plan)
  if (settings.dense !== undefined && settings.dense.dimension > dimension) {
    throw new RagGateError(
      'config_invalid',
      `The index "${settings.name}" has dimension ${settings.dense.dimension}; the plan ${settings.plan} allows ${dimension}`,
    )
  }
  const { visibilityLagMs } = settings
  const store = new VectorStore(storage, {
    visibilityLagMs,
    nowMs: platform.nowMs,
    makeKernel: platform.makeKernel,
    dimension: settings.dense?.dimension ?? 0,
  })
  const filled = store.namespaces().some((count) => count.vectorCount + count.pendingVectorCount > 0)
  agreeOnParts(storage, filled, settings)
  return {
    settings,
    store,
    resumable: new ResumableQueries(storage, platform),
    use: new DailyUse(storage, platform.nowMs),
    features: new FeatureMemory(),
    platform,
  }
}

/**
 * Vectors of another dimension or model cannot be compared: what an index was filled for, it stays.
 *
 * @throws `config_invalid` when it holds vectors that were made for other settings
 */
export function agreeOnParts({ sql }: IndexStorage, filled: boolean, settings: IndexSettings): void {
  const parts = partsOf(settings)
  const [known] = sql.exec('SELECT parts FROM made_for').toArray()
  // Indexes filled before settings existed were all of the default kind.
  const madeFor = known === undefined ? partsOf(indexSettings(settings.name)) : textOf(known, 'parts')
  if (filled && madeFor !== parts) {
    throw new RagGateError(
      'config_invalid',
      `The index "${settings.name}" holds vectors made for ${madeFor}, not for ${parts}. ` +
        'Configure what it was made for, or give the new settings another name.',
    )
  }
  sql.exec('INSERT OR REPLACE INTO made_for (one, parts) VALUES (1, ?)', parts)
}

function partsOf(settings: IndexSettings): string {
  const { dense, sparse } = settings
  const densePart = dense && `${dense.dimension} ${dense.similarity} ${dense.model || 'no model'}`
  const sparsePart = sparse && `sparse ${sparse.model || 'no model'}`
  return [kindOf(settings), densePart, sparsePart].filter((part) => part !== undefined).join(', ')
}
