import type { D1Database } from '@cloudflare/workers-types'
import { and, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { questionTexts } from 'hono-rag-gate/d1/schema'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import type { Tenant } from 'hono-rag-gate/core/lib'

/**
 * Adds the texts of the questions to decisions, `null` if not stored: one statement, one row read per question.
 *
 * @throws `schema_outdated`, `store_unavailable`
 */
export async function withTexts<Row extends { readonly questionHmac: string | null }>(
  db: D1Database,
  tenant: Tenant,
  rows: readonly Row[],
): Promise<(Row & { readonly questionText: string | null })[]> {
  const wanted = [...new Set(rows.flatMap(({ questionHmac }) => questionHmac ?? []))]
  const found =
    wanted.length === 0
      ? []
      : await drizzle(db)
          .select({ hmac: questionTexts.questionHmac, text: questionTexts.text })
          .from(questionTexts)
          .where(
            and(
              eq(questionTexts.tenant, tenant),
              sql`${questionTexts.questionHmac} IN (SELECT value FROM json_each(${JSON.stringify(wanted)}))`,
            ),
          )
          .catch(rethrowStoreFault)
  const texts = new Map(found.map(({ hmac, text }) => [hmac, text]))
  return rows.map((row) => ({ ...row, questionText: texts.get(row.questionHmac ?? '') ?? null }))
}
