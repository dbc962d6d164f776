import { Hono } from 'hono'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { isRagGateError } from '../../../src/errors.ts'
import { respondWithError } from '../../../src/middleware/respond.ts'
import { WORKER_STATUS, WorkerError, type WorkerErrorCode } from '../../../workers/gate/errors.ts'

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined))
afterEach(() => void vi.restoreAllMocks())

const statusOf = async (thrown: unknown): Promise<number> => {
  const app = new Hono().get('/', (c) => respondWithError(c, thrown, WORKER_STATUS))
  return (await app.request('/')).status
}

it.each(Object.entries(WORKER_STATUS))("answers the Worker's own code %s with %d", async (code, status) => {
  const thrown = new WorkerError(code as WorkerErrorCode, 'x')
  expect(isRagGateError(thrown)).toBe(true)
  expect(await statusOf(thrown)).toBe(status)
  // What the caller did, or that there is no room now: never a fault of the Worker.
  if (code === 'overloaded') expect(status).toBe(503)
  else expect(status).toBeLessThan(500)
})

it('returns 500 for a code in neither table of statuses', async () => {
  // @ts-expect-error codes are named in the union, or do not compile
  expect(await statusOf(new WorkerError('unheard_of', 'x'))).toBe(500)
})

it('has a status for each of its codes', () => {
  const { why: _, ...others } = WORKER_STATUS
  // @ts-expect-error a table without an entry does not compile
  const table: typeof WORKER_STATUS = others
  expect(Object.keys(table)).not.toContain('why')
})
