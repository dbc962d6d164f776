import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { consoleJobs, runJobs } from '../../../packages/console/src/jobs/jobs.ts'
import { jobStates } from '../../../packages/console/src/jobs/job-states.ts'
import type { ConsoleOptions } from '../../../packages/console/src/options.ts'
import { openConsole } from '../../../packages/console/src/parts.ts'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'

const HOUR_MS = 3_600_000
const NOW_MS = Date.UTC(2026, 5, 10, 12)

/** A console whose clock can be set. */
function aConsole(given: Partial<ConsoleOptions> = {}) {
  const clock = { atMs: NOW_MS, nowMs: () => clock.atMs }
  const options: ConsoleOptions = { db: env.DB, authenticate: () => null, clock, ...given }
  return { clock, options, parts: openConsole(options) }
}

afterEach(async () => {
  vi.restoreAllMocks()
  await env.DB.prepare('DELETE FROM jobs').run()
})

it('a run that cannot be recorded is logged, and the other jobs run', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { options, parts } = aConsole()
  vi.spyOn(parts.jobRecords, 'note').mockRejectedValueOnce(new TypeError('a canary of a tenant'))
  const ran: string[] = []
  await runJobs({ first: async () => ran.push('first'), second: async () => ran.push('second') }, options)
  expect(ran).toEqual(['first', 'second'])
  expect(logged.mock.calls).toEqual([
    [expect.stringContaining('[rag-gate] the run of the job first was not noted: TypeError')],
  ])
  expect((await parts.jobRecords.list()).map(({ name }) => name)).toEqual(['second'])
})

it('jobs have room by the statements of their own invocation', async () => {
  const { options, parts } = aConsole()
  // Those of earlier invocations do not count.
  for (let at = 0; at < 5; at++) await parts.jobRecords.list()
  const room: boolean[] = []
  const asking = async (hasRoom: (most: number) => boolean): Promise<void> => {
    room.push(hasRoom(1))
    await parts.jobRecords.list()
    room.push(hasRoom(1), hasRoom(2))
  }
  await runJobs({ asking }, options)
  expect(room).toEqual([true, false, true])
})

it('a job is behind from its first run that leaves work, or once it has not run for an hour and a half', async () => {
  const { clock, options, parts } = aConsole()
  let finished = false
  const run = () => runJobs({ job: async () => ({ finished }) }, options)
  const state = async () => (await jobStates(parts))[0]
  await run()
  clock.atMs += 600_000
  await run()
  expect(await state()).toEqual({
    name: 'job',
    ran_at: '2026-06-10T12:00:00.000Z',
    failed: false,
    behind_seconds: 600,
  })
  finished = true
  await run()
  expect(await state()).toMatchObject({ ran_at: '2026-06-10T12:10:00.000Z', behind_seconds: 0 })
  clock.atMs += 90 * 60_000
  expect(await state()).toMatchObject({ behind_seconds: 0 })
  clock.atMs += 5_000
  expect(await state()).toMatchObject({ behind_seconds: 5 })
})

it('retention rests for six hours after a complete round, and continues an incomplete one at once', async () => {
  const { clock, options, parts } = aConsole()
  const next = { tables: ['feedback'], tenants: { feedback: 'acme' } }
  const run = vi.spyOn(parts.retention, 'run').mockResolvedValue({ removed: {}, finished: false, next })
  const jobs = { retention: consoleJobs(options).retention! }
  const calls = async (): Promise<number> => {
    await runJobs(jobs, options)
    return run.mock.calls.length
  }
  expect(await calls()).toBe(1)
  expect(await parts.jobRecords.list()).toMatchObject([{ behindSinceMs: NOW_MS }])
  run.mockResolvedValue({ removed: {}, finished: true, next })
  expect(await calls()).toBe(2)
  expect(await calls()).toBe(2)
  expect(run.mock.calls).toEqual([
    [undefined, undefined, undefined],
    [undefined, next, undefined],
  ])
  clock.atMs += 6 * HOUR_MS - 1
  expect(await calls()).toBe(2)
  expect(await parts.jobRecords.list()).toMatchObject([{ behindSinceMs: null }])
  clock.atMs += 1
  expect(await calls()).toBe(3)
  // The clock was ahead.
  clock.atMs -= 1
  expect(await calls()).toBe(4)
})

it('retention for the number of decisions waits for the export, if there is one', async () => {
  const { options, parts } = aConsole({ exports: { bucket: env.TEST_EXPORTS } })
  const run = vi
    .spyOn(parts.retention, 'run')
    .mockResolvedValue({ removed: {}, finished: false, next: { tables: [], tenants: {} } })
  const jobs = { retention: consoleJobs(options).retention! }
  await runJobs(jobs, options)
  await parts.jobRecords.keepCursor('exports', { dayMs: NOW_MS })
  await runJobs(jobs, options)
  expect(run.mock.calls.map(([, , exportedToMs]) => exportedToMs)).toEqual([0, NOW_MS])
})

it.each([
  ['counting', false],
  ['counting', true],
  ['erasures', false],
  ['erasures', true],
] as const)('the job %s reports whether it finished: %s', async (name, finished) => {
  const { options, parts } = aConsole()
  const countMany = vi.spyOn(parts.counting, 'countMany').mockResolvedValue(finished)
  vi.spyOn(parts.erasures, 'carryOn').mockResolvedValue(finished ? 0 : 1)
  await runJobs({ [name]: consoleJobs(options)[name]! }, options)
  expect(await jobStates(parts)).toMatchObject([{ name, failed: false }])
  expect((await parts.jobRecords.list())[0]?.behindSinceMs).toBe(finished ? null : NOW_MS)
  expect(countMany.mock.calls).toEqual(name === 'counting' ? [[NOW_MS, 20]] : [])
})

it('exports and alerts run, and report what they left', async () => {
  const { options, parts } = aConsole({ exports: { bucket: env.TEST_EXPORTS } })
  const [exported, watched] = [
    vi.spyOn(parts.counting, 'isSummedUpTo').mockResolvedValue(false),
    vi.spyOn(parts.counting, 'countMany'),
  ]
  vi.spyOn(parts.counting, 'count').mockResolvedValue(false)
  const { exports, alerts } = consoleJobs(options)
  await runJobs({ exports: exports!, alerts: alerts! }, options)
  expect([exported.mock.calls.length, watched.mock.calls.length]).toEqual([1, 1])
  expect((await parts.jobRecords.list()).map(({ name, behindSinceMs }) => [name, behindSinceMs])).toEqual([
    ['alerts', null],
    ['exports', NOW_MS],
  ])
})

it('a job that fails is logged by the type of its error, and is behind', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { options, parts } = aConsole()
  const failing = async () => {
    throw new TypeError('a canary of a tenant')
  }
  await runJobs({ failing }, options)
  expect(logged.mock.calls).toEqual([
    [expect.stringContaining('[rag-gate] the job failing was not finished: TypeError')],
  ])
  expect(await parts.jobRecords.list()).toEqual([
    { name: 'failing', ranMs: NOW_MS, behindSinceMs: NOW_MS, failed: true },
  ])
})

it('a chosen policy raises alerts about its calibration, however many were pushed after it', async () => {
  const pin = { collection: 'manual', embedding_model: 'words', dimension: 0, lexicon_id: 'l', corpus_version: 3 }
  const decided = Array.from({ length: 60 }, (_, at) => ({
    event: anEvent(`calibrated-${at}`, {
      decision: aDecision({ tenant: 'pinned', policyId: 'p@1' }),
      atMs: NOW_MS - 1,
    }),
    isolate: 'pinned',
    sequence: at + 1,
  }))
  await createD1DecisionStore({ db: env.DB }).write(decided)
  const collectionsOf = async () => [{ pin: { ...pin, lexicon_id: 'changed' }, policyId: 'p@1' }]
  const { clock, options, parts } = aConsole({ alerts: { collectionsOf } })
  const push = (id: string) =>
    parts.policies.push({ tenant: 'pinned', id, name: 'p', settings: {}, pin, evidence: null, createdBy: '', why: '' })
  await push('p@1')
  clock.atMs += 1
  for (let at = 0; at < 100; at++) await push(`p@later-${at}`)
  await runJobs({ alerts: consoleJobs(options).alerts! }, options)
  expect((await parts.alerts.list('pinned', 10)).map(({ kind }) => kind)).toEqual(['calibration_outdated'])
})
