import { env } from 'cloudflare:workers'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import * as schema from '../../d1/schema.ts'

async function rows<Row>(query: string): Promise<Row[]> {
  return (await env.DB.prepare(query).all<Row>()).results
}

const TABLES = Object.values(schema).map((table) => getTableConfig(table))

describe('d1/schema.ts', () => {
  it('names every table of the migrated database, but for those of the word index, which are asked in SQL', async () => {
    const tables = await rows<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'
       AND name NOT GLOB 'd1_*' AND name NOT GLOB 'passage*'`,
    )
    expect(tables.map(({ name }) => name).sort()).toEqual(TABLES.map(({ name }) => name).sort())
  })

  it.each(TABLES)('describes $name as it is: columns in order, types, NULL', async ({ name, columns }) => {
    const actual = await rows<{ name: string; type: string; notnull: number }>(
      `SELECT name, type, "notnull" FROM pragma_table_info('${name}') ORDER BY cid`,
    )
    expect(
      columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        notnull: column.notNull ? 1 : 0,
      })),
    ).toEqual(actual)
  })
})
