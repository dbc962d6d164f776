import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { createD1Counting } from '../../../packages/console/src/d1/counting.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 5, 10, 12)

type Waiting = Readonly<Record<'sums' | 'weak_spots', number> & Record<'sums_ms' | 'weak_spots_ms', number | null>>
const NOTHING: Waiting = { sums: 0, sums_ms: null, weak_spots: 0, weak_spots_ms: null }

/** Counting over a database in which so much waits; each kind has so many slices. */
function counting(waiting: Partial<Waiting> | null, slices: Readonly<Record<string, number>> = {}) {
  const left = new Map(Object.entries(slices))
  const counted: string[] = []
  const batch = async ([insert]: readonly { readonly sql: string }[]) => {
    const kind = /next_(\w+)/.exec(insert!.sql)![1]!
    counted.push(kind)
    left.set(kind, (left.get(kind) ?? 1) - 1)
    return [{ results: [] }, { results: left.get(kind)! > 0 ? [{}] : [] }]
  }
  const first = async () => waiting && { ...NOTHING, ...waiting }
  const db = { prepare: (sql: string) => ({ sql, first }), batch: vi.fn<typeof batch>(batch) }
  return { counted, counting: createD1Counting({ db: db as unknown as D1Database }) }
}

it.each<[string, Partial<Waiting>, readonly string[]]>([
  ['nothing', {}, []],
  ['49 decisions', { sums: 49, sums_ms: NOW_MS - 3 * HOUR_MS + 1, weak_spots: 49, weak_spots_ms: NOW_MS }, []],
  ['50 decisions', { sums: 50, sums_ms: NOW_MS }, ['sums']],
  ['a decision for three hours', { sums: 1, sums_ms: NOW_MS - 3 * HOUR_MS }, ['sums']],
  ['19,999 decisions', { weak_spots: 19_999, weak_spots_ms: NOW_MS - 7 * 24 * HOUR_MS + 1 }, []],
  ['20,000 decisions', { weak_spots: 20_000, weak_spots_ms: NOW_MS }, ['weak_spots']],
  ['a weak spot for a week', { weak_spots: 1, weak_spots_ms: NOW_MS - 7 * 24 * HOUR_MS }, ['weak_spots']],
  ['much of both', { sums: 50, weak_spots: 20_000 }, ['sums', 'weak_spots']],
])('with %s waiting, what is worthwhile is counted', async (_, waiting, kinds) => {
  const { counting: some, counted } = counting(waiting)
  expect([await some.countMany(NOW_MS), counted]).toEqual([true, kinds])
})

it.each([
  [{ sums: 3 }, false],
  [{ weak_spots: 3 }, false],
  [{ sums: 2, weak_spots: 2 }, true],
])('with %j slices of each kind and room for two, it reports whether all is counted: %s', async (slices, isDone) => {
  expect(await counting({ sums: 50, weak_spots: 20_000 }, slices).counting.countMany(NOW_MS, 2)).toBe(isDone)
  expect(await counting(null, slices).counting.count('all', 2)).toBe(isDone)
})

it('all before the first waiting decision is counted', async () => {
  const upTo = async (sumsMs: number | null) => counting({ sums_ms: sumsMs }).counting.isSummedUpTo(NOW_MS)
  expect([await upTo(NOW_MS - 1), await upTo(NOW_MS), await upTo(null)]).toEqual([false, true, true])
})

it('nothing is counted of an empty database', async () => {
  const some = createD1Counting({ db: env.DB })
  expect([await some.countMany(NOW_MS), await some.isSummedUpTo(NOW_MS), await some.summedUp()]).toEqual([
    true,
    true,
    0,
  ])
})
