import { checkPassageFilter, type PassageFilter, valuesOf } from 'hono-rag-gate/core/evidence'

/** Conditions on `passages`, and the values to bind for them. */
export interface FilterConditions {
  /** Each begins with ` AND `; empty for no filter. */
  readonly sql: string
  readonly values: readonly string[]
}

/**
 * A filter as conditions. A field that is no text, number or truth value passes none; `true` and 1 are equal.
 *
 * @param from number of the first parameter
 * @throws `config_invalid`
 */
export function filterConditions(filter: PassageFilter | undefined, from: number): FilterConditions {
  if (filter === undefined) return { sql: '', values: [] }
  const fields = Object.entries(checkPassageFilter(filter))
  const sql = fields.map((_field, at) => {
    const [path, values] = [`?${from + 2 * at}`, `?${from + 2 * at + 1}`]
    // Lists and objects come out of `json_extract` as text.
    return ` AND json_type(passages.passage, ${path}) NOT IN ('array', 'object')
      AND json_extract(passages.passage, ${path}) IN (SELECT value FROM json_each(${values}))`
  })
  return {
    sql: sql.join(''),
    values: fields.flatMap(([field, allowed]) => [pathOf(field), JSON.stringify(valuesOf(allowed))]),
  }
}

/** Names of fields hold neither quotes nor backslashes. */
function pathOf(field: string): string {
  return `$${field
    .split('.')
    .map((name) => `."${name}"`)
    .join('')}`
}
