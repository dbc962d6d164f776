import { invalid } from '../../protocol-error.ts'
import type { ExactJson } from '../../exact-json.ts'
import type { EmbeddedIndex } from '../embedded-index.ts'
import { passageVectors } from '../../embed/embedding.ts'
import { storedVectors } from '../explicit-vectors.ts'
import * as field from '../fields.ts'
import { mergePatch } from '../merge-patch.ts'
import { embedsTexts } from '../../settings.ts'
import type { VectorRow } from '../../store/vector-row.ts'
import type { Vectors } from '../../search/vectors.ts'
import type { CommandRequest } from './command.ts'

/**
 * `update`: replaces vectors, text or metadata of one row, or merges into its metadata. A new text without vectors is
 * embedded anew where the index embeds texts.
 */
export function update(index: EmbeddedIndex, { namespace, body }: CommandRequest): { readonly updated: 0 | 1 } {
  const { store } = index
  const fields = field.object(body)
  const id = field.id(fields['id'])
  const changes = changesOf(index, fields)
  const mode = field.oneOf(fields['metadataUpdateMode'], 'metadataUpdateMode', ['OVERWRITE', 'PATCH'], 'OVERWRITE')
  const row = store.newest(namespace, id)
  if (row === undefined) return { updated: 0 }
  const { metadata, ...others } = changes
  const changed = metadata === undefined ? {} : { metadata: mode === 'PATCH' ? patched(row, metadata) : metadata }
  store.upsert(namespace, [{ ...row, ...others, ...changed }])
  return { updated: 1 }
}

function changesOf(index: EmbeddedIndex, fields: field.Fields): Partial<Omit<VectorRow, 'id'>> {
  const data = field.isGiven(fields['data']) ? field.data(fields['data']) : undefined
  const metadata = field.metadata(fields['metadata'])
  const vectors = newVectors(index, fields, data)
  if (data === undefined && metadata === undefined && vectors === undefined) {
    throw invalid('At least one of vector, sparseVector, data or metadata must be given')
  }
  return { ...(data !== undefined && { data }), ...(metadata !== undefined && { metadata }), ...vectors }
}

function newVectors(
  { settings, features }: EmbeddedIndex,
  fields: field.Fields,
  data: string | undefined,
): Vectors | undefined {
  if (field.isVectorGiven(fields['vector']) || field.isGiven(fields['sparseVector'])) {
    return storedVectors(settings, fields)
  }
  return data !== undefined && embedsTexts(settings) ? passageVectors(settings, data, features) : undefined
}

/** Merged metadata must keep the limits as well. */
function patched(row: VectorRow, patch: Readonly<Record<string, ExactJson>>): Readonly<Record<string, ExactJson>> {
  const merged = mergePatch(row.metadata ?? {}, patch)
  return field.metadata(merged) ?? {}
}
