/** Commands that read, write and delete rows. */
import { passageVectors, requireModel } from '../embed/embedding.ts'
import { filterCondition } from '../filter/filter-condition.ts'
import { LIMITS } from '../limits.ts'
import { invalid } from '../protocol-error.ts'
import { embedsTexts } from '../settings.ts'
import type { VectorRow } from '../store/vector-row.ts'
import { AnswerRoom } from './answer-room.ts'
import { answeredRow, parseIncludes, type AnsweredRow, type Includes } from './answered-row.ts'
import type { Command, CommandRequest, EmbeddedIndex } from './embedded-index.ts'
import { storedVectors } from './explicit-vectors.ts'
import * as field from './fields.ts'

const PREFIX_LIMIT = 1000

/** `upsert`: items with vectors. If an item has only a text, all are rejected. */
export const upsert: Command = ({ settings, store }, { namespace, body }) => {
  const rows = field.objects(body).map((item) => ({
    ...identified(item),
    ...(field.isGiven(item['data']) && { data: field.data(item['data']) }),
    ...storedVectors(settings, item),
  }))
  store.upsert(namespace, rows)
  return 'Success'
}

/** `upsert-data`: items with texts that the index embeds. */
export const upsertData: Command = ({ settings, store }, { namespace, body }) => {
  requireModel(settings)
  const items = field.objects(body).map((item) => ({ ...identified(item), data: field.data(item['data']) }))
  store.upsert(namespace, items, (item) => ({ ...item, ...passageVectors(settings, item.data) }))
  return 'Success'
}

/**
 * `update`: replaces vectors, text or metadata of one row, or merges into its metadata. A new text without vectors is
 * embedded if the index embeds texts.
 */
export function update(index: EmbeddedIndex, { namespace, body }: CommandRequest): { readonly updated: 0 | 1 } {
  const fields = field.object(body)
  const id = field.id(fields['id'])
  const { metadata, ...others } = changesOf(index, fields)
  const mode = field.oneOf(fields['metadataUpdateMode'], 'metadataUpdateMode', ['OVERWRITE', 'PATCH'], 'OVERWRITE')
  const [row] = index.store.withIds([id])
  if (row === undefined) return { updated: 0 }
  // The merged metadata must respect the limits too.
  const merged = mode === 'PATCH' && metadata ? field.metadata(index.store.patched(row.metadata, metadata)) : metadata
  index.store.upsert(namespace, [{ ...row, ...others, ...(merged !== undefined && { metadata: merged }) }])
  return { updated: 1 }
}

/**
 * `delete`: by ids (the body may be the list or a single id), by prefix or by filter. Returns the number of deleted
 * rows. An empty prefix or filter counts as absent, because it would select everything, for which there is `reset`.
 */
export function deleteRows({ store }: EmbeddedIndex, { body }: CommandRequest): { readonly deleted: number } {
  const alone = Array.isArray(body) || typeof body === 'string'
  const { ids, prefix, filter }: field.Fields = alone ? { ids: body } : field.object(body)
  const hasPrefix = field.isGiven(prefix) && prefix !== ''
  const hasFilter = field.isGiven(filter) && filter !== ''
  if ([field.isGiven(ids), hasPrefix, hasFilter].filter(Boolean).length !== 1) {
    throw invalid('Only and only one of the ids, prefix, or filter must be provided.')
  }
  if (hasFilter) return { deleted: store.deleteSelected(filterCondition(field.filterText(filter))) }
  return { deleted: hasPrefix ? store.deletePrefix(field.prefix(prefix)) : store.delete(field.ids(ids)) }
}

/** `reset`: empties the namespace, without deleting it. */
export const reset: Command = ({ store }) => {
  store.reset()
  return 'Success'
}

/**
 * `fetch`: rows by id, in the requested order, with `null` for unknown ids; or rows by a prefix of their ids.
 *
 * @throws `ProtocolError` 422 if they do not fit in one answer
 */
export function fetchRows(
  { settings, store }: EmbeddedIndex,
  { body }: CommandRequest,
): readonly (AnsweredRow | null)[] {
  const fields: field.Fields = Array.isArray(body) ? { ids: body } : field.object(body)
  const { ids, prefix } = fields
  if (field.isGiven(ids) && field.isGiven(prefix)) throw invalid('Only one of ids or prefix must be provided.')
  const includes = parseIncludes(fields)
  const room = new AnswerRoom()
  const answered = (row: VectorRow): AnsweredRow => room.take(answeredRow(settings, row, includes))
  if (field.isGiven(prefix)) return Array.from(store.range(0, PREFIX_LIMIT, field.prefix(prefix)), answered)
  const asked = field.ids(ids)
  const found = new Map(Array.from(store.withIds(asked), (row) => [row.id, answered(row)]))
  // An id may be requested more than once, and is returned each time.
  const again = new AnswerRoom()
  return asked.map((id) => {
    const row = found.get(id)
    return row === undefined ? null : again.take(row)
  })
}

/**
 * `range`: a page in insertion order, by default of 1,000 rows, and shorter if the answer is full. The cursor is the
 * position of the last row, so that concurrent writes and deletes neither repeat nor skip rows.
 */
export function range(
  { settings, store }: EmbeddedIndex,
  { body }: CommandRequest,
): { readonly nextCursor: string; readonly vectors: readonly AnsweredRow[] } {
  const fields = field.object(body ?? {})
  const after = field.cursor(fields['cursor'])
  const limit = field.whole(fields['limit'], 'limit', { min: 1, max: LIMITS.itemsPerCommand }, LIMITS.itemsPerCommand)
  const prefix = field.prefix(fields['prefix'] ?? '')
  const includes = parseIncludes(fields)
  const room = new AnswerRoom()
  const vectors: AnsweredRow[] = []
  let last = after
  // One more row shows whether there is a next page, so that no page is empty. One row always fits.
  for (const stored of store.range(after, limit + 1, prefix)) {
    const row = answeredRow(settings, stored, includes)
    if (vectors.length === limit || !room.has(row)) return { nextCursor: String(last), vectors }
    vectors.push(room.take(row))
    last = stored.position
  }
  return { nextCursor: '', vectors }
}

const VECTORS_ALONE: Includes = { vectors: true, metadata: false, data: false }

/** `random`: a random row with its vectors; `null` if there is none. */
export function random({ settings, store }: EmbeddedIndex): AnsweredRow | null {
  const [row] = store.random()
  return row === undefined ? null : answeredRow(settings, row, VECTORS_ALONE)
}

function identified(item: field.Fields): Pick<VectorRow, 'id' | 'metadata'> {
  const id = field.id(item['id'])
  const metadata = field.metadata(item['metadata'])
  return { id, ...(metadata !== undefined && { metadata }) }
}

function changesOf({ settings }: EmbeddedIndex, fields: field.Fields): Partial<Omit<VectorRow, 'id'>> {
  const data = field.isGiven(fields['data']) ? field.data(fields['data']) : undefined
  const metadata = field.metadata(fields['metadata'])
  const brought = field.isVectorGiven(fields['vector']) || field.isGiven(fields['sparseVector'])
  if (data === undefined && metadata === undefined && !brought) {
    throw invalid('At least one of vector, sparseVector, data or metadata must be given')
  }
  return {
    ...(data !== undefined && { data }),
    ...(metadata !== undefined && { metadata }),
    ...(brought && storedVectors(settings, fields)),
    ...(!brought && data !== undefined && embedsTexts(settings) && passageVectors(settings, data)),
  }
}
