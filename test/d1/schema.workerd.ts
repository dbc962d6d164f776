import { env } from 'cloudflare:workers'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import * as schema from '../../d1/schema.ts'

async function rows<Row>(query: string): Promise<Row[]> {
  return (await env.DB.prepare(query).all<Row>()).results
}

const TABLES = Object.values(schema).map((table) => getTableConfig(table))

describe('d1/schema.ts', () => {
  it('names every table of the migrated database', async () => {
    const tables = await rows<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'
       AND name NOT GLOB 'd1_*'`,
    )
    expect(tables.map(({ name }) => name).sort()).toEqual(TABLES.map(({ name }) => name).sort())
  })

  it.each(TABLES)(
    'describes $name as it is: columns in order, types, NULL, key',
    async ({ name, columns, primaryKeys }) => {
      const actual = await rows<{ name: string; type: string; notnull: number; pk: number }>(
        `SELECT name, type, "notnull", pk FROM pragma_table_info('${name}') ORDER BY cid`,
      )
      const key = primaryKeys.flatMap((primaryKey) => primaryKey.columns.map((column) => column.name))
      expect(
        columns.map((column) => ({
          name: column.name,
          type: column.getSQLType().toUpperCase(),
          notnull: column.notNull ? 1 : 0,
          pk: column.primary ? 1 : key.indexOf(column.name) + 1,
        })),
      ).toEqual(actual)
    },
  )

  it.each(TABLES)('describes the indexes of $name', async ({ name, indexes }) => {
    const actual = await rows<{ name: string; columns: string }>(
      `SELECT list.name, (SELECT group_concat(info.name, ', ') FROM pragma_index_info(list.name) info) AS columns
       FROM pragma_index_list('${name}') list WHERE list.origin = 'c' ORDER BY list.name`,
    )
    const described = indexes.map(({ config }) => ({
      name: config.name,
      // Only columns are indexed here, never expressions.
      columns: config.columns.map((column) => ('name' in column ? column.name : '?')).join(', '),
    }))
    expect(described.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(actual)
  })
})
