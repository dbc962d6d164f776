/** Settings in seconds: what a Worker with wrong ones says. */
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { quietErrors } from '../../fixtures/quiet-console.ts'
import { workerOver } from '../../worker-requests.ts'

quietErrors()

const health = (settings: Partial<GateBindings>): Promise<Response> =>
  workerOver({ ...env, ...settings }).send('/health')

test.each(['0', '1', '2592000'])('STALE_IF_ERROR_SECONDS=%j is taken', async (seconds) => {
  expect((await health({ STALE_IF_ERROR_SECONDS: seconds })).status).toBe(200)
})

test.each([
  ...['0', '601', '1.5', 'ten', ''].flatMap((value) => [
    ['LLM_TIMEOUT_SECONDS', value],
    ['STREAM_IDLE_SECONDS', value],
  ]),
  ...['', '-1', '1.5', 'an hour', '1h', '1e3', ' 60', '2592001', '99999999'].map((value) => [
    'STALE_IF_ERROR_SECONDS',
    value,
  ]),
])('%s=%j is refused at start', async (name, value) => {
  const response = await health({ [name!]: value })
  expect([response.status, await response.json()]).toMatchObject([
    500,
    { error: { code: 'config_invalid', param: name } },
  ])
})
