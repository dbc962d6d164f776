import type { EmbeddedIndex } from '../embedded-index.ts'
import { passageVectors, requireModel } from '../../embed/embedding.ts'
import { storedVectors } from '../explicit-vectors.ts'
import * as field from '../fields.ts'
import { limitsOf, withinPlan } from '../../plan-limits.ts'
import type { VectorRow } from '../../store/vector-row.ts'
import type { CommandRequest } from './command.ts'

/** `upsert`: items that bring their vectors. An item with just a text is refused, and all others with it. */
export function upsert(index: EmbeddedIndex, request: CommandRequest): 'Success' {
  const { body } = request
  const rows = field.objects(body).map((item) => ({
    ...identified(item),
    ...(field.isGiven(item['data']) && { data: field.data(item['data']) }),
    ...storedVectors(index.settings, item),
  }))
  return write(index, request, rows)
}

/** `upsert-data`: items whose vectors the index makes of their texts. */
export function upsertData(index: EmbeddedIndex, request: CommandRequest): 'Success' {
  const { body } = request
  requireModel(index.settings)
  const rows = field.objects(body).map((item) => {
    const identity = identified(item)
    const data = field.data(item['data'])
    return { ...identity, data, ...passageVectors(index.settings, data, index.features) }
  })
  return write(index, request, rows)
}

function identified(item: field.Fields): Pick<VectorRow, 'id' | 'metadata'> {
  const id = field.id(item['id'])
  const metadata = field.metadata(item['metadata'])
  return { id, ...(metadata !== undefined && { metadata }) }
}

function write(index: EmbeddedIndex, request: CommandRequest, rows: readonly VectorRow[]): 'Success' {
  checkPlan(index, request, rows)
  index.store.upsert(request.namespace, rows)
  return 'Success'
}

function checkPlan(
  { settings, store }: EmbeddedIndex,
  { namespace, elsewhere }: CommandRequest,
  rows: readonly VectorRow[],
): void {
  if (settings.plan === 'off') return
  const limits = limitsOf(settings.plan)
  const counts = store.namespaces()
  if (!store.hasNamespace(namespace)) {
    withinPlan('namespaces', counts.length + elsewhere.namespaces + 1, limits.namespaces)
  }
  withinPlan('stored bytes', store.sizeBytes + elsewhere.storedBytes, limits.storedBytes)
  const dimension = settings.dense?.dimension ?? 0
  const stored = counts.reduce((sum, count) => sum + count.vectorCount + count.pendingVectorCount, elsewhere.vectors)
  if ((stored + rows.length) * dimension <= limits.vectorDimensions) return
  // Near the limit it counts which of the ids are new.
  const added = [...new Set(rows.map(({ id }) => id))].filter((id) => store.newest(namespace, id) === undefined)
  if (added.length > 0) withinPlan('vectors × dimension', (stored + added.length) * dimension, limits.vectorDimensions)
}
