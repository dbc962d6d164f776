import type { D1Database } from '@cloudflare/workers-types'

export class SQLiteD1Session {
  constructor(client: D1Database)
  batch(queries: readonly unknown[]): Promise<unknown[]>
}
