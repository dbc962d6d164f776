import type { EmbeddedIndex } from '../embedded-index.ts'
import * as field from '../fields.ts'
import { notSupported } from '../protocol-error.ts'
import type { CommandRequest } from './command.ts'

/** `delete`: by ids, which may stand alone as the body, by prefix or by filter. Counts what there was. */
export function deleteRows(
  { store }: EmbeddedIndex,
  { namespace, body }: CommandRequest,
): { readonly deleted: number } {
  const { ids, prefix, filter }: field.Fields = Array.isArray(body) ? { ids: body } : field.object(body)
  if ([ids, prefix, filter].filter(field.isGiven).length !== 1) {
    throw field.invalid('Only and only one of the ids, prefix, or filter must be provided.')
  }
  if (field.isGiven(filter)) throw notSupported('filter')
  const deleted = field.isGiven(prefix)
    ? store.deletePrefix(namespace, field.prefix(prefix))
    : store.delete(namespace, field.ids(ids))
  return { deleted }
}
