/** Counting by views and their triggers (`d1/counting.ts`), which drizzle has no word for. */
import type { countedDecisions } from 'hono-rag-gate/d1/schema'

/** What is counted at a time. */
export type Counts = (typeof countedDecisions.$inferSelect)['counts']

/** Counts the next slice, and tells by a row where more is left. */
export function countSql(counts: Counts): readonly [count: string, isLeft: string] {
  const next = `FROM next_${counts}`
  return [`INSERT INTO uncounted_decisions SELECT * ${next}`, `SELECT counts ${next}`]
}

export const WAITING = `SELECT * FROM waiting_decisions`

/** Decisions that wait, and when the first of them was. */
export type Waiting = Record<Counts, number> & Record<`${Counts}_ms`, number | null>
