/** Formats of rows written to and read from an index. */
import { misconfigured } from './misconfigured.ts'
import { type IndexRow, type PassageFields, passageOfRow } from '@hono-rag-gate/upstream/rows'
import { type Passage, readPassage, type RetrievedRow } from 'hono-rag-gate/core/evidence'
import { isRecord, memberAt } from 'hono-rag-gate/core/lib'
import { badResponse } from '@hono-rag-gate/upstream/http'
import { type DensePart, type IndexParts, similarityNamed } from './index-kind.ts'
import { INDEX } from './transport.ts'

/** A passage as the client upserts it: text to embed, and everything else as metadata. */
export interface UpstashItem {
  readonly id: string
  readonly data: string
  readonly metadata: Record<string, unknown>
}

/** The stored form of a passage. It includes the namespace, because rows from the service do not. */
export function itemOf(namespace: string, { id, text, ...metadata }: Passage): UpstashItem {
  return { id, data: text, metadata: { ...metadata, indexNamespace: namespace } }
}

/**
 * Parses a passage written by `itemOf`; metadata is optional for rows written by others.
 *
 * @throws `retriever_bad_response` for a row of another form or another namespace
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
 * Parses the rows of one query, as written by `itemOf`.
 *
 * @param scoreOf converts a row from the service to a score
 * @throws `retriever_bad_response`
 */
export function rowsOfGate(
  namespace: string,
  rows: readonly unknown[],
  scoreOf: (row: Readonly<Record<string, unknown>>) => unknown,
): RetrievedRow[] {
  return rows.map((row: unknown) => ({
    passage: passageOf(namespace, row),
    // `passageOf` throws if the row is not an object.
    score: scoreOf(row as Readonly<Record<string, unknown>>),
  }))
}

/**
 * Parses the rows of one query over an index that others filled; rows without text are left out.
 *
 * @param scoreOf converts a row from the service to a score
 * @param onWithoutText called for each row left out
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
    if (passage) return [{ passage, score: scoreOf(row) }]
    onWithoutText(read)
    return []
  })
}

/** The parts of `info` that are used. */
export interface IndexInfo extends IndexParts {
  /** Number of vectors by namespace. */
  readonly counts: ReadonlyMap<string, number>
}

/** @throws `retriever_bad_response`; `retriever_misconfigured` for an unknown similarity */
export function readInfo(info: unknown): IndexInfo {
  if (!isRecord(info) || !isRecord(info['namespaces'])) throw badResponse(INDEX, 'no namespaces')
  const { namespaces, denseIndex, sparseIndex, indexType } = info
  // An index from before sparse indexes reports its dimension and similarity at the top level only.
  const isOld = denseIndex === undefined && sparseIndex === undefined && Number(info['dimension']) > 0
  const dense = isOld && indexType !== 'SPARSE' ? { embeddingModel: '', ...info } : denseIndex
  return {
    ...(dense !== undefined && dense !== null && { dense: readDense(dense) }),
    ...(isRecord(sparseIndex) && { sparse: { model: modelNamed(sparseIndex['embeddingModel'] ?? '') } }),
    counts: new Map(Object.entries(namespaces).map(([name, own]) => [name, Number(memberAt(own, 'vectorCount') ?? 0)])),
  }
}

/**
 * Number of vectors of a namespace that searches do not find yet. For a namespace not yet listed, that of the whole
 * index, which may include it.
 *
 * @param info as the service sent it
 * @throws `retriever_bad_response` if there is no count
 */
export function pendingIn(info: unknown, namespace: string): number {
  const own = memberAt(info, 'namespaces', namespace)
  const count = memberAt(isRecord(own) ? own : info, 'pendingVectorCount')
  if (typeof count !== 'number' || !Number.isFinite(count)) throw badResponse(INDEX, 'info without counts')
  return count
}

function readDense(dense: unknown): DensePart {
  const { embeddingModel, dimension, similarityFunction } = isRecord(dense) ? dense : {}
  if (typeof dimension !== 'number') throw badResponse(INDEX, 'no dimension')
  const similarity = similarityNamed(similarityFunction)
  if (similarity === undefined) {
    throw misconfigured('it measures by an unknown similarity')
  }
  return { model: modelNamed(embeddingModel), dimension, similarity }
}

function modelNamed(name: unknown): string {
  if (name === null) return ''
  if (typeof name !== 'string') throw badResponse(INDEX, 'no model')
  return name
}
