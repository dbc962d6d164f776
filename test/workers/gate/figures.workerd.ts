/** The figures are declared once: what one more line in their table brings about. */
import { env } from 'cloudflare:workers'
import { expect, expectTypeOf, it } from 'vitest'
import { countingSql } from '../../../d1/counting.ts'
import { FIGURE_SQL, FIGURES, type Shown } from '../../../d1/figures.ts'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { createD1Statistics } from '../../../packages/console/src/d1/statistics.ts'
import { shownOf } from '../../../packages/console/src/d1/statistics/totals.ts'
import { figureShapes } from '../../../workers/gate/api/shapes.ts'
import { seriesColumns } from '../../../packages/console/src/api/get-stats.ts'
import { onTheWire } from '../../../packages/console/src/api/wire.ts'
import { countedGroups } from '../../fixtures/counted-groups.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'

const MORE = {
  ...FIGURES,
  conflicts: { kind: 'count', as: 'x' },
  rerankMs: { kind: 'mean', as: 'xm', unit: 'ms' },
} as const
const MORE_SQL = { ...FIGURE_SQL, conflicts: 'event.status = 409', rerankMs: 'event.rerank_ms' }

/** The statements that make a view and its trigger anew. */
function statementsOf(sql: string): string[] {
  return sql.split(/(?=CREATE (?:VIEW|TRIGGER))/)
}

it('a figure added by one line is counted, summed, typed, described and exported', async () => {
  for (const statement of statementsOf(countingSql(MORE, MORE_SQL))) await env.DB.prepare(statement).run()
  const store = createD1DecisionStore({ db: env.DB })
  const answered = [
    { status: 200, timings: { rerankMs: 10 } },
    { status: 409, timings: { rerankMs: 20 } },
    { status: 409, timings: {} },
  ]
  const numbered = answered.map((event, at) => ({
    event: anEvent(`more-${at}`, { decision: aDecision({ tenant: 'more' }), ...event }),
    isolate: 'more',
    sequence: at + 1,
  }))
  await store.write(numbered)
  await store.write(numbered)

  const hours = (await countedGroups(env.DB, 'more', MORE)).filter(({ spanMs }) => spanMs === 3_600_000)
  const shown = shownOf(hours, MORE)
  expect(shown).toMatchObject({ decisions: 3, conflicts: 2, meanRerankMs: 15 })
  expectTypeOf(shown).toEqualTypeOf<Shown<typeof MORE>>()
  expectTypeOf(shown.conflicts).toEqualTypeOf<number>()
  expectTypeOf(shown.meanRerankMs).toEqualTypeOf<number | null>()
  expect(onTheWire(shown)).toMatchObject({ conflicts: 2, mean_rerank_ms: 15 })
  expect(Object.keys(figureShapes(MORE))).toEqual(Object.keys(onTheWire(shown) as object))
  expect(seriesColumns(MORE).filter((column) => !seriesColumns(FIGURES).includes(column))).toEqual([
    'conflicts',
    'mean_rerank_ms',
  ])
  // What the other figures are is as it was.
  const { atMs } = numbered[0]!.event
  const summary = await createD1Statistics({ db: env.DB }).summary({ tenant: 'more', fromMs: atMs, toMs: atMs + 1 })
  expect(summary).toMatchObject(shownOf(hours, FIGURES))
})
