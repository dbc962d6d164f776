import { invalid } from '../../protocol-error.ts'
import type { EmbeddedIndex } from '../embedded-index.ts'
import * as field from '../fields.ts'
import { parseFilter } from '../../filter/parse-filter.ts'
import type { CommandRequest } from './command.ts'

/**
 * `delete`: by ids, which may stand alone as the body as one id may, by prefix or by filter. Counts what there was. An empty prefix or
 * filter counts as not given: it would select everything, which is what `reset` is for.
 */
export function deleteRows(
  { store }: EmbeddedIndex,
  { namespace, body }: CommandRequest,
): { readonly deleted: number } {
  const alone = Array.isArray(body) || typeof body === 'string'
  const { ids, prefix, filter }: field.Fields = alone ? { ids: body } : field.object(body)
  const hasPrefix = field.isGiven(prefix) && prefix !== ''
  const hasFilter = field.isGiven(filter) && filter !== ''
  if ([field.isGiven(ids), hasPrefix, hasFilter].filter(Boolean).length !== 1) {
    throw invalid('Only and only one of the ids, prefix, or filter must be provided.')
  }
  if (hasFilter) return { deleted: store.deleteSelected(namespace, parseFilter(field.filterText(filter))) }
  const deleted = hasPrefix
    ? store.deletePrefix(namespace, field.prefix(prefix))
    : store.delete(namespace, field.ids(ids))
  return { deleted }
}
