import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { createD1JobRecords, type JobRun } from '../../../packages/console/src/d1/job-records.ts'

const HOUR_MS = 3_600_000
const AT_MS = Date.UTC(2026, 5, 10, 12)
const records = createD1JobRecords({ db: env.DB })
const DONE: JobRun = { finished: true }
const LEFT: JobRun = { finished: false }

beforeEach(async () => {
  await env.DB.prepare('DELETE FROM jobs').run()
})

/** Notes runs, each so many milliseconds after the first. @returns the record: its time after the first, and its state */
async function after(...runs: readonly (readonly [afterMs: number, ended: JobRun | 'failed'])[]) {
  await env.DB.prepare('DELETE FROM jobs').run()
  for (const [afterMs, ended] of runs) await records.note('job', AT_MS + afterMs, ended)
  const [{ ranMs, behindSinceMs, failed }] = (await records.list()) as [Awaited<ReturnType<typeof records.list>>[0]]
  return [ranMs - AT_MS, behindSinceMs === null ? null : behindSinceMs - AT_MS, failed]
}

it('records a run with the same result as the last by the hour, any other at once', async () => {
  expect(await after([0, DONE])).toEqual([0, null, false])
  expect(await after([0, DONE], [HOUR_MS - 1, DONE])).toEqual([0, null, false])
  expect(await after([0, DONE], [HOUR_MS, DONE])).toEqual([HOUR_MS, null, false])
  // The clock was ahead.
  expect(await after([HOUR_MS, DONE], [0, DONE])).toEqual([0, null, false])
  expect(await after([0, DONE], [1, LEFT])).toEqual([1, 1, false])
  expect(await after([0, LEFT], [1, 'failed'])).toEqual([1, 0, true])
  expect(await after([0, 'failed'], [1, LEFT])).toEqual([1, 0, false])
  expect(await after([0, LEFT], [1, LEFT], [HOUR_MS, LEFT])).toEqual([HOUR_MS, 0, false])
  expect(await after([0, 'failed'], [1, DONE])).toEqual([1, null, false])
  expect(await after([0, LEFT], [1, DONE], [2, LEFT])).toEqual([2, 2, false])
})

it('lists the jobs that ran by name, and keeps where each continues', async () => {
  expect(await records.cursor('b')).toBeUndefined()
  await records.keepCursor('b', { after: 'acme' })
  await records.keepCursor('c', { after: 'globex' })
  expect(await records.list()).toEqual([])
  for (const name of ['b', 'a']) await records.note(name, AT_MS, DONE)
  expect((await records.list()).map(({ name }) => name)).toEqual(['a', 'b'])
  expect([await records.cursor('a'), await records.cursor('b')]).toEqual([undefined, { after: 'acme' }])
  await records.keepCursor('b', { after: '' })
  expect([await records.cursor('b'), await records.cursor('c')]).toEqual([{ after: '' }, { after: 'globex' }])
  expect((await records.list())[1]).toEqual({ name: 'b', ranMs: AT_MS, behindSinceMs: null, failed: false })
})
