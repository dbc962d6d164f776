/** The tables of a Miniflare's `DB`, made by the project's migrations. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { unstable_splitSqlQuery } from 'wrangler'
import { ROOT } from '../scripts/local-gate.ts'

const DIRECTORY = join(ROOT, 'd1', 'migrations')

export async function migrate(miniflare: Miniflare): Promise<void> {
  const db = await miniflare.getD1Database('DB')
  for (const name of readdirSync(DIRECTORY).sort()) {
    const statements = unstable_splitSqlQuery(readFileSync(join(DIRECTORY, name), 'utf8'))
    for (const statement of statements) await db.prepare(statement).run()
  }
}
