/** Webhooks are signed as the libraries of Standard Webhooks read them. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { signatureHeaders } from '../../packages/console/src/jobs/watch-alerts.ts'

const TEXT = 'a secret of a receiver, 0123456789'

test.each([
  ["in the standard's form", `whsec_${btoa(TEXT)}`],
  ['of any form', TEXT],
])('signs a webhook with a secret %s', async (_, secret) => {
  const headers = await signatureHeaders(secret, 'alert_opened_1', '{"event":"alert_opened"}', 1_700_000_000_999)
  const mac = createHmac('sha256', TEXT).update('alert_opened_1.1700000000.{"event":"alert_opened"}').digest('base64')
  expect(headers).toEqual({
    'webhook-id': 'alert_opened_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${mac}`,
  })
})
