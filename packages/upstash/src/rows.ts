/** What is written into an index, and what is read from it. */
import { misconfigured } from './misconfigured.ts'
import { type IndexRow, type PassageFields, passageOfRow } from '@hono-rag-gate/upstream/rows'
import { type Passage, readPassage, type RetrievedRow } from 'hono-rag-gate/core/evidence'
import { isRecord, memberAt } from 'hono-rag-gate/core/lib'
import { badResponse } from '@hono-rag-gate/upstream/http'
import { type DensePart, type IndexParts, similarityNamed } from './index-kind.ts'
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
 * The rows of one query, as `itemOf` wrote them.
 *
 * @param scoreOf from a row as it came to our score
 * @throws `retriever_bad_response`
 */
export function rowsOfGate(
  namespace: string,
  rows: readonly unknown[],
  scoreOf: (row: Readonly<Record<string, unknown>>) => unknown,
): RetrievedRow[] {
  return rows.map((row: unknown) => ({
    passage: passageOf(namespace, row),
    // `passageOf` throws for anything else.
    score: scoreOf(row as Readonly<Record<string, unknown>>),
  }))
}

/**
 * The rows of one query over an index that others filled, those without text left out.
 *
 * @param scoreOf from a row as it came to our score
 * @param onWithoutText told of what was left out
 * @throws `retriever_bad_response`
 */
export function rowsOfOthers(
  rows: readonly unknown[],
  fields: PassageFields,
  scoreOf: (row: Readonly<Record<string, unknown>>) => unknown,
  onWithoutText: (row: IndexRow) => void,
): RetrievedRow[] {
  return rows.flatMap((row: unknown): RetrievedRow[] => {
    if (!isRecord(row)) throw badResponse(INDEX, 'not a row')
    const { id, data, metadata } = row
    if (typeof id !== 'string' || id === '') throw badResponse(INDEX, 'a row without id')
    const read = {
      id,
      ...(typeof data === 'string' && { data }),
      metadata: isRecord(metadata) ? metadata : {},
    }
    const passage = passageOfRow(read, fields)
    if (passage !== undefined) return [{ passage, score: scoreOf(row) }]
    onWithoutText(read)
    return []
  })
}

/** The parts of `info` that are used here. */
export interface IndexInfo extends IndexParts {
  /** Vectors by namespace. */
  readonly counts: ReadonlyMap<string, number>
}

/** @throws `retriever_bad_response`; `retriever_misconfigured` for a similarity that is unknown */
export function readInfo(info: unknown): IndexInfo {
  if (!isRecord(info) || !isRecord(info['namespaces'])) throw badResponse(INDEX, 'info without namespaces')
  const { namespaces, denseIndex, sparseIndex, indexType } = info
  // Before there were sparse ones, an index told its dimension and similarity on the outside alone.
  const isOld = denseIndex === undefined && sparseIndex === undefined && Number(info['dimension']) > 0
  const dense = isOld && indexType !== 'SPARSE' ? { embeddingModel: '', ...info } : denseIndex
  return {
    ...(dense !== undefined && dense !== null && { dense: readDense(dense) }),
    ...(isRecord(sparseIndex) && { sparse: { model: modelNamed(sparseIndex['embeddingModel'] ?? '') } }),
    counts: new Map(Object.entries(namespaces).map(([name, own]) => [name, Number(memberAt(own, 'vectorCount') ?? 0)])),
  }
}

/**
 * Vectors of a namespace that a search does not find yet; one that is not listed yet may be among what is pending in the
 * whole index.
 *
 * @param info as the service sent it
 * @throws `retriever_bad_response` where they are not counted
 */
export function pendingIn(info: unknown, namespace: string): number {
  const own = memberAt(info, 'namespaces', namespace)
  const count = memberAt(isRecord(own) ? own : info, 'pendingVectorCount')
  if (typeof count !== 'number' || !Number.isFinite(count)) throw badResponse(INDEX, 'info without counts')
  return count
}

function readDense(dense: unknown): DensePart {
  const { embeddingModel, dimension, similarityFunction } = isRecord(dense) ? dense : {}
  if (typeof dimension !== 'number') throw badResponse(INDEX, 'a dense part without dimension')
  const similarity = similarityNamed(similarityFunction)
  if (similarity === undefined) {
    throw misconfigured('it measures by an unknown similarity')
  }
  return { model: modelNamed(embeddingModel), dimension, similarity }
}

function modelNamed(name: unknown): string {
  if (name === null) return ''
  if (typeof name !== 'string') throw badResponse(INDEX, 'no embedding model')
  return name
}
