import { env } from 'cloudflare:workers'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import { TABLES } from '../../d1/schema.ts'

async function rows<Row>(query: string): Promise<Row[]> {
  return (await env.DB.prepare(query).all<Row>()).results
}

const DEFINED = TABLES.map((table) => getTableConfig(table))
const columnsOf = async (index: string): Promise<(string | null)[]> =>
  (await rows<{ name: string | null }>(`SELECT name FROM pragma_index_info('${index}') ORDER BY seqno`)).map(
    ({ name }) => name,
  )

describe('d1/schema.ts', () => {
  it('names every table of the migrated database, except full-text tables', async () => {
    const tables = await rows<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'
       AND name NOT GLOB 'd1_*' AND name NOT GLOB 'passage_words*' AND name NOT GLOB 'passage_terms*'`,
    )
    expect(tables.map(({ name }) => name).sort()).toEqual(DEFINED.map(({ name }) => name).sort())
  })

  it.each(DEFINED)('describes $name exactly: columns in order, types, NULL, key and indexes', async (table) => {
    const { name, columns, primaryKeys, indexes } = table
    const actual = await rows<{ name: string; type: string; notnull: number; pk: number }>(
      `SELECT name, type, "notnull", pk FROM pragma_table_info('${name}') ORDER BY cid`,
    )
    const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
    expect(
      columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        notnull: column.notNull ? 1 : 0,
        pk: key.findIndex((each) => each.name === column.name) + 1,
      })),
    ).toEqual(actual.map((column) => ({ ...column, type: column.type.toUpperCase() })))
    const made = await rows<{ name: string; unique: number; partial: number }>(
      `SELECT name, "unique", partial FROM pragma_index_list('${name}') WHERE origin = 'c' ORDER BY name`,
    )
    const described = indexes.map(({ config }) => ({
      name: config.name,
      unique: config.unique ? 1 : 0,
      partial: config.where === undefined ? 0 : 1,
      columns: config.columns.map((column) => ('name' in column ? column.name : null)),
    }))
    expect(described.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      await Promise.all(made.map(async (index) => ({ ...index, columns: await columnsOf(index.name) }))),
    )
    const [options] = await rows<{ strict: number }>(`SELECT strict FROM pragma_table_list('${name}')`)
    expect(options).toEqual({ strict: 1 })
  })
})
