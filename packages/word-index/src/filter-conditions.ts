import { checkPassageFilter, type PassageFilter, valuesOf } from 'hono-rag-gate/core/evidence'

/** SQL conditions on `passages`, and their bound values. */
export interface FilterConditions {
  /** Each condition begins with ` AND `; empty without a filter. */
  readonly sql: string
  readonly values: readonly string[]
}

/**
 * Converts a filter to conditions. A field that is not a string, number or boolean never matches; `true` equals 1.
 *
 * @param from number of the first parameter
 * @throws `config_invalid`
 */
export function filterConditions(filter: PassageFilter | undefined, from: number): FilterConditions {
  if (filter === undefined) return { sql: '', values: [] }
  const fields = Object.entries(checkPassageFilter(filter))
  const sql = fields.map((_field, at) => {
    const [path, values] = [`?${from + 2 * at}`, `?${from + 2 * at + 1}`]
    // `json_extract` returns lists and objects as strings.
    return ` AND json_type(passages.passage, ${path}) NOT IN ('array', 'object')
      AND json_extract(passages.passage, ${path}) IN (SELECT value FROM json_each(${values}))`
  })
  return {
    sql: sql.join(''),
    values: fields.flatMap(([field, allowed]) => {
      const values = valuesOf(allowed)
      // As in `passesFilter`: only members of metadata have other types than text.
      return [pathOf(field), JSON.stringify(field.startsWith('metadata.') ? values : values.map(String))]
    }),
  }
}

/** Field names contain neither quotes nor backslashes. */
function pathOf(field: string): string {
  return `$${field
    .split('.')
    .map((name) => `."${name}"`)
    .join('')}`
}
