/**
 * Replaces `drizzle-orm/d1` in the bundle: queries are built by drizzle, written as SQL by a smaller dialect, and run
 * singly or as a batch.
 */
import {
  SQLiteDeleteBase,
  SQLiteInsertBuilder,
  SQLiteSelectBuilder,
  SQLiteUpdateBuilder,
} from 'drizzle-orm/sqlite-core/query-builders'
import { mapResultRow } from 'drizzle-orm/utils'
import { SQLiteDialect } from './drizzle-dialect.mjs'

class Prepared {
  constructor(statement, query, fields, method) {
    Object.assign(this, { statement, query, fields, method })
  }
  getQuery() {
    return this.query
  }
  bound() {
    return this.statement.bind(...this.query.params)
  }
  mapped(rows) {
    return rows.map((row) => mapResultRow(this.fields, row, this.joinsNotNullableMap))
  }
  run() {
    return this.bound().run()
  }
  async all() {
    return this.fields ? this.mapped(await this.bound().raw()) : (await this.bound().all()).results
  }
  async get() {
    return (await this.all())[0]
  }
  execute() {
    return this[this.method]()
  }
  /** Maps the query's result in a batch. */
  mapResult(result) {
    if (this.method === 'run') return result
    const rows = this.fields ? this.mapped(result.results.map((row) => Object.values(row))) : result.results
    return this.method === 'get' ? rows[0] : rows
  }
}

class Session {
  constructor(client) {
    this.client = client
  }
  prepareQuery(query, fields, method) {
    return new Prepared(this.client.prepare(query.sql), query, fields, method)
  }
  prepareOneTimeQuery(...query) {
    return this.prepareQuery(...query)
  }
}

class Database {
  constructor(client) {
    this.client = client
    this.builtWith = { session: new Session(client), dialect: new SQLiteDialect() }
  }
  select(fields) {
    return new SQLiteSelectBuilder({ ...this.builtWith, fields })
  }
  selectDistinct(fields) {
    return new SQLiteSelectBuilder({ ...this.builtWith, fields, distinct: true })
  }
  insert(table) {
    return new SQLiteInsertBuilder(table, this.builtWith.session, this.builtWith.dialect)
  }
  update(table) {
    return new SQLiteUpdateBuilder(table, this.builtWith.session, this.builtWith.dialect)
  }
  delete(table) {
    return new SQLiteDeleteBase(table, this.builtWith.session, this.builtWith.dialect)
  }
  async batch(queries) {
    const prepared = queries.map((query) => query._prepare())
    const results = await this.client.batch(prepared.map((each) => each.bound()))
    return results.map((result, at) => prepared[at].mapResult(result))
  }
}

export const drizzle = (client) => new Database(client)
