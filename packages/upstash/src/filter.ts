import { checkPassageFilter, type PassageFilter, valuesOf } from 'hono-rag-gate/core/evidence'
import { filteredMember, type PassageFields } from '@hono-rag-gate/upstream/rows'
import { misconfigured } from './misconfigured.ts'

/**
 * A filter in the service's language. It has no escapes, so values that would need one are refused.
 *
 * @param fields where rows of others keep what is filtered by; `undefined` for rows as this package writes them
 * @throws `config_invalid`; `retriever_misconfigured` for a field that the index has no member for
 */
export function filterText(filter: PassageFilter, fields: PassageFields | undefined): string {
  const terms = Object.entries(checkPassageFilter(filter)).map(([field, allowed]) => {
    const member = fields === undefined ? field : filteredMember(field, fields)
    if (member === undefined || !/^[a-zA-Z_][\w.[\]#-]*$/.test(member)) {
      throw misconfigured(`it cannot filter by ${field} as fields says it is read`)
    }
    const values = valuesOf(allowed).map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
    return values.length === 1 ? `${member} = ${values[0]}` : `${member} IN (${values.join(', ')})`
  })
  return terms.join(' AND ')
}
