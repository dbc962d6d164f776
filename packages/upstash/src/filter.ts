import { checkPassageFilter, type PassageFilter, valuesOf } from 'hono-rag-gate/core/evidence'
import { filteredMember, type PassageFields } from '@hono-rag-gate/upstream/rows'
import { misconfigured } from './misconfigured.ts'

/**
 * Writes a filter in the service's filter language, which has no escapes: values that would need one are rejected.
 *
 * @param fields where rows of others store the filtered fields; `undefined` for rows written by this package
 * @throws `config_invalid`; `retriever_misconfigured` for a field that has no metadata member in the index
 */
export function filterText(filter: PassageFilter, fields: PassageFields | undefined): string {
  const terms = Object.entries(checkPassageFilter(filter)).map(([field, allowed]) => {
    const member = fields === undefined ? field : filteredMember(field, fields)
    if (!member || !/^[a-zA-Z_][\w.[\]#-]*$/.test(member)) {
      throw misconfigured(`fields names no metadata for the filter by ${field}`)
    }
    const values = valuesOf(allowed).map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
    return values.length === 1 ? `${member} = ${values[0]}` : `${member} IN (${values.join(', ')})`
  })
  return terms.join(' AND ')
}
