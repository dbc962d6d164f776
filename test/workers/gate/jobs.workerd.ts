/** The jobs of the cron trigger, where one of them fails. */
import { createScheduledController } from 'cloudflare:test'
import { afterEach, expect, test, vi } from 'vitest'
import { compositionFor } from '../../../workers/gate/compose.ts'
import worker from '../../../workers/gate/index.ts'
import { isolateBindings } from '../../worker-requests.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** The first thing that each job asks for. */
function jobs() {
  const { idempotency, ingest, statistics } = compositionFor(isolateBindings)
  return {
    idempotency: vi.spyOn(idempotency, 'prune'),
    erasures: vi.spyOn(statistics.erasures, 'carryOn'),
    retention: vi.spyOn(statistics.retention, 'run'),
    alerts: vi.spyOn(statistics.summaries, 'tenants'),
    sweep: vi.spyOn(ingest.collections, 'abandoned'),
  }
}

test('where one tenant cannot be looked at for alerts the others are', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { alerts, summaries } = compositionFor(isolateBindings).statistics
  vi.spyOn(summaries, 'tenants').mockResolvedValue(['acme', 'globex'])
  const open = vi.spyOn(alerts, 'open').mockRejectedValueOnce(new TypeError('down'))
  const update = vi.spyOn(alerts, 'update')
  await worker.scheduled(createScheduledController(), isolateBindings)
  expect(open.mock.calls).toEqual([['acme'], ['globex']])
  expect(update).toHaveBeenCalledExactlyOnceWith('globex', [])
  expect(logged).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('the job alerts was not finished: TypeError'))
})

test.each(['idempotency', 'erasures', 'retention', 'alerts', 'sweep'] as const)(
  'where the job %s fails the others run, and of what was thrown only its kind is logged',
  async (failing) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const asked = jobs()
    asked[failing].mockRejectedValue(new TypeError("D1_ERROR: near 'canary of a tenant'"))
    await worker.scheduled(createScheduledController(), isolateBindings)
    for (const [name, job] of Object.entries(asked)) expect(job, name).toHaveBeenCalledOnce()
    expect(logged.mock.calls).toEqual([[expect.stringContaining(`the job ${failing} was not finished: TypeError`)]])
    expect(logged.mock.calls[0]![0]).not.toContain('canary')
  },
)
