/** SQL of counting by views and their triggers (`d1/counting.ts`), which drizzle does not support. */
import type { countedDecisions } from 'hono-rag-gate/d1/schema'

/** Kinds of counts. */
export type Counts = (typeof countedDecisions.$inferSelect)['counts']

/** Counts the next slice; the second statement returns a row if more is left. */
export function countSql(counts: Counts): readonly [count: string, isLeft: string] {
  const next = `FROM next_${counts}`
  return [`INSERT INTO uncounted_decisions SELECT * ${next}`, `SELECT counts ${next}`]
}

export const WAITING = `SELECT * FROM waiting_decisions`

/** Number of waiting decisions by kind, and when the first was made. */
export type Waiting = Record<Counts, number> & Record<`${Counts}_ms`, number | null>
