/** What is written into an index, and what is read from it. */
import type { Passage } from '../../core/evidence/chunk.ts'
import { isRecord } from '../../core/lib/guards.ts'
import { readPassage, type RetrievedRow } from '../../core/evidence/rows.ts'
import { badResponse } from '../../http/upstream-error.ts'
import type { Embedding } from '../../ports/retriever.ts'
import { INDEX } from './transport.ts'

/** A passage as the client upserts it: the text to embed, and everything else as metadata. */
export interface UpstashItem {
  readonly id: string
  readonly data: string
  readonly metadata: Record<string, unknown>
}

/** A passage as it is stored, with the namespace it belongs to: rows of the service do not say where they come from. */
export function itemOf(namespace: string, { id, text, ...metadata }: Passage): UpstashItem {
  return { id, data: text, metadata: { ...metadata, indexNamespace: namespace } }
}

/**
 * A passage as `itemOf` wrote it; one that others wrote needs no metadata.
 *
 * @throws `retriever_bad_response` for a row of another form, or of another namespace
 */
export function passageOf(namespace: string, row: unknown): Passage {
  if (!isRecord(row)) throw badResponse(INDEX, 'not a row')
  const { id, data, metadata = {}, namespace: ofRow = namespace } = row
  if (!isRecord(metadata)) throw badResponse(INDEX, 'metadata that is not an object')
  const { indexNamespace = namespace } = metadata
  if (indexNamespace !== namespace || ofRow !== namespace) throw badResponse(INDEX, 'a row of another namespace')
  return readPassage(id, data, metadata)
}

/**
 * The rows of one query.
 *
 * @param scoreOf from the service's score to ours
 * @throws `retriever_bad_response`
 */
export function rowsOf(namespace: string, rows: unknown, scoreOf: (score: number) => number): RetrievedRow[] {
  if (!Array.isArray(rows)) throw badResponse(INDEX, 'not a list')
  return rows.map((row: unknown) => {
    const passage = passageOf(namespace, row)
    const score = isRecord(row) ? row['score'] : undefined
    return { passage, score: typeof score === 'number' ? scoreOf(score) : score }
  })
}

/** The parts of `info` that are used here. */
export interface IndexInfo {
  readonly dense: unknown
  readonly sparse: unknown
  /** Vectors of a namespace that a search does not find yet. */
  readonly pendingOf: (namespace: string) => number
}

/** @throws `retriever_bad_response` */
export function readInfo(info: unknown): IndexInfo {
  if (!isRecord(info) || !isRecord(info['namespaces'])) throw badResponse(INDEX, 'info without namespaces')
  const { namespaces, denseIndex: dense, sparseIndex: sparse, pendingVectorCount: pending } = info
  return {
    dense,
    sparse,
    pendingOf(namespace) {
      const own = isRecord(namespaces) && Object.hasOwn(namespaces, namespace) ? namespaces[namespace] : undefined
      // A namespace that is not listed yet may be among what is pending in the whole index.
      const count = isRecord(own) ? own['pendingVectorCount'] : pending
      if (typeof count !== 'number' || !Number.isFinite(count)) throw badResponse(INDEX, 'info without counts')
      return count
    },
  }
}

/** What `info` says of the dense part. @throws `retriever_bad_response` */
export function readDense(dense: unknown): Embedding {
  const { embeddingModel: model, dimension } = isRecord(dense) ? dense : {}
  if (typeof model !== 'string' || typeof dimension !== 'number') throw badResponse(INDEX, 'no embedding model')
  return { model, dimension }
}
