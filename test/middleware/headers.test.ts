import { expect, test, vi } from 'vitest'
import { addServerTiming } from '../../src/middleware/headers.ts'

test('the phases that took place are one line of Server-Timing, beside those of others', () => {
  const headers = new Headers({ 'server-timing': 'auth;dur=3' })
  const append = vi.spyOn(headers, 'append')
  // The clock was set back while the handler ran.
  addServerTiming(headers, { retrievalMs: 12, generationMs: -3_600_000, totalMs: 20 })
  expect(append).toHaveBeenCalledOnce()
  expect(headers.get('server-timing')).toBe('auth;dur=3, retrieval;dur=12, total;dur=20')
})
