import { DatabaseSync } from 'node:sqlite'
import type { Json } from '../../../src/core/chunk.ts'
import type { Column } from '../../../src/embedded/filter/compile-filter.ts'
import type { Path } from '../../../src/embedded/filter/filter.ts'
import { parsedColumn } from '../../../src/embedded/filter/metadata-columns.ts'
import { jsonPath } from '../../../src/embedded/filter/path.ts'

const statement = new DatabaseSync(':memory:').prepare('SELECT ? -> ? AS field')

/** A field of rows, taken out of their JSON as the store does it. */
export function columnOfRows(rows: readonly (Readonly<Record<string, Json>> | undefined)[], path: Path): Column {
  return parsedColumn(
    rows.map((row) => {
      const field = statement.get(row === undefined ? null : JSON.stringify(row), jsonPath(path))?.['field']
      return typeof field === 'string' ? field : null
    }),
  )
}
