/** Miniflare instances with a `DB` migrated by the project's migrations. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { unstable_splitSqlQuery } from 'wrangler'
import { ROOT } from '../scripts/local-gate.ts'

const DIRECTORY = join(ROOT, 'd1', 'migrations')

/** Only an empty `DB` and buckets, for what uses nothing else. */
export function databaseAlone(...r2Buckets: string[]): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: 'export default { fetch: () => new Response() }',
      compatibilityDate: '2026-11-01',
      d1Databases: ['DB'],
      r2Buckets,
    }),
  )
}

export async function migrate(miniflare: Miniflare): Promise<void> {
  const db = await miniflare.getD1Database('DB')
  for (const name of readdirSync(DIRECTORY).sort()) {
    const statements = unstable_splitSqlQuery(readFileSync(join(DIRECTORY, name), 'utf8'))
    for (const statement of statements) await db.prepare(statement).run()
  }
}
