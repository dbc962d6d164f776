/** The windows past an answer's lifetime: which settings are taken, and what a Worker with wrong ones says. */
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { staleWindowsOf } from '../../../workers/gate/stale-windows.ts'
import { quietErrors } from '../../fixtures/quiet-console.ts'
import { workerOver } from '../../worker-requests.ts'

quietErrors()

type Windows = Pick<GateBindings, 'STALE_IF_ERROR_SECONDS' | 'STALE_WHILE_REVALIDATE_SECONDS'>

const health = (settings: Partial<GateBindings>): Promise<Response> =>
  workerOver({ ...env, ...settings }).send('/health')

describe('STALE_IF_ERROR_SECONDS and STALE_WHILE_REVALIDATE_SECONDS', () => {
  test.each<[Windows, number, number | undefined]>([
    [{}, 3600, undefined],
    [{ STALE_IF_ERROR_SECONDS: '0' }, 0, undefined],
    [{ STALE_IF_ERROR_SECONDS: '2592000', STALE_WHILE_REVALIDATE_SECONDS: '2592000' }, 2_592_000, 2_592_000],
    [{ STALE_WHILE_REVALIDATE_SECONDS: '60' }, 3600, 60],
  ])('%j: %s seconds of the former, %s of the latter', async (windows, ifError, whileRevalidate) => {
    expect(staleWindowsOf({ ...env, ...windows })).toMatchObject({ staleIfErrorSeconds: ifError })
    expect(staleWindowsOf({ ...env, ...windows }).staleWhileRevalidateSeconds).toBe(whileRevalidate)
    expect((await health(windows)).status).toBe(200)
  })

  test.each([
    ...['0', '601', '1.5', 'ten', ''].flatMap((value) => [
      ['LLM_TIMEOUT_SECONDS', value],
      ['STREAM_IDLE_SECONDS', value],
    ]),
    ...['', '-1', '1.5', 'an hour', '1h', '1e3', ' 60', '2592001', '99999999'].flatMap((value) => [
      ['STALE_IF_ERROR_SECONDS', value],
      ['STALE_WHILE_REVALIDATE_SECONDS', value],
    ]),
  ])('%s=%j is refused at start', async (name, value) => {
    const response = await health({ [name!]: value })
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { error: { code: 'config_invalid', param: name } },
    ])
  })
})
