/**
 * Writes drizzle's queries as SQL: the same text as drizzle's own dialect for what this project uses. Left out are
 * `with`, order and limits of unions, relational queries, views, aliases of tables, columns with computed values,
 * functions for defaults, limits and joins of updates and deletions, and migrations.
 */
import { Column, is, SQL, sql, Table } from 'drizzle-orm'
import { orderSelectedFields } from 'drizzle-orm/utils'

const nameOf = (column) => sql.identifier(column.name)
const list = (parts) => sql.join(parts, sql`, `)

/** A clause with its keyword; `undefined` without content. */
function clause(keyword, content) {
  return content === undefined ? undefined : sql`${sql.raw(` ${keyword} `)}${content}`
}

function listClause(keyword, parts = []) {
  return clause(keyword, parts.length === 0 ? undefined : list(parts))
}

/** Selected columns and expressions; in queries of one table without the table's name. */
function selection(fields, isSingleTable) {
  const written = (part) => (isSingleTable && is(part, Column) ? nameOf(part) : part)
  return list(
    fields.map(({ field }) => {
      if (field.isSelectionField) return sql.identifier(field.fieldAlias)
      const isAliased = is(field, SQL.Aliased)
      const expression = isAliased ? field.sql : field
      if (!is(expression, SQL)) return written(expression)
      const chunks = sql.join(expression.queryChunks.map(written))
      return isAliased ? sql`${chunks} as ${sql.identifier(field.fieldAlias)}` : chunks
    }),
  )
}

function returningClause(fields) {
  return clause('returning', fields && selection(fields, true))
}

export class SQLiteDialect {
  sqlToQuery(query) {
    return query.toQuery({
      casing: { getColumnCasing: ({ name }) => name },
      escapeName: (name) => `"${name}"`,
      escapeParam: () => '?',
    })
  }

  buildSelectQuery({ distinct, fields, table, joins = [], setOperators, ...clauses }) {
    const { where, groupBy, having, orderBy, limit, offset } = clauses
    const select = sql.join([
      sql.raw(distinct ? 'select distinct ' : 'select '),
      selection(orderSelectedFields(fields), joins.length === 0),
      clause('from', table),
      ...joins.map(({ joinType, table: joined, on }) => sql`${clause(`${joinType} join`, joined)}${clause('on', on)}`),
      clause('where', where),
      listClause('group by', groupBy),
      clause('having', having),
      listClause('order by', orderBy),
      clause('limit', limit),
      clause('offset', offset),
    ])
    return setOperators.reduce((left, { type, isAll, rightSelect }) => {
      return sql`${left} ${sql.raw(isAll ? `${type} all` : type)} ${rightSelect.getSQL()}`
    }, select)
  }

  buildInsertQuery({ table, values, select, onConflict = [], returning }) {
    const columns = Object.entries(table[Table.Symbol.Columns])
    const rowOf = (given) => columns.map(([key, column]) => inserted(given[key], column))
    return sql.join([
      sql`insert into ${table} ${columns.map(([, column]) => nameOf(column))}`,
      select ? sql` ${values.getSQL()}` : clause('values', list(values.map(rowOf))),
      ...onConflict,
      returningClause(returning),
    ])
  }

  buildUpdateSet(table, set) {
    const changed = Object.entries(table[Table.Symbol.Columns]).filter(([key]) => set[key] !== undefined)
    return list(changed.map(([key, column]) => sql`${nameOf(column)} = ${set[key]}`))
  }

  buildUpdateQuery({ table, set, where, returning }) {
    const changes = this.buildUpdateSet(table, set)
    return sql`update ${table} set ${changes}${clause('where', where)}${returningClause(returning)}`
  }

  buildDeleteQuery({ table, where, returning }) {
    return sql`delete from ${table}${clause('where', where)}${returningClause(returning)}`
  }
}

/** A value of a new row: as given, the column's default, or null. */
function inserted(value, column) {
  if (value?.value !== undefined || is(value, SQL)) return value
  return column.default === undefined ? sql`null` : sql.param(column.default, column)
}
