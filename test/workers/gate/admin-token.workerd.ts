/** A token of the deployment that cannot be right: told at start, by the name it is set under. */
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { quietErrors } from '../../fixtures/quiet-console.ts'
import { workerOver } from '../../worker-requests.ts'

quietErrors()

test.each([
  ['x'.repeat(31), 'secret_too_short'],
  ['', 'secret_too_short'],
  ['a pass phrase of enough characters', 'config_invalid'],
  ['x'.repeat(513), 'config_invalid'],
])('ADMIN_TOKEN=%j is refused at start with %s', async (token, code) => {
  const response = await workerOver({ ...env, ADMIN_TOKEN: token }).send('/health')
  expect([response.status, await response.json()]).toMatchObject([500, { error: { code, param: 'ADMIN_TOKEN' } }])
})
