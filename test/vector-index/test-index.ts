import { expect } from 'vitest'
import { jsonText, parseJson } from '../../packages/vector-index/src/exact-json.ts'
import { IndexInMemory } from './index-in-memory.ts'

/** An index in memory with a clock that stands still until it is told to go on. */
export interface TestIndex {
  readonly clock: { nowMs: number }
  readonly index: IndexInMemory
  /** Forgets what is in memory, as an eviction does. */
  restart(settings?: unknown): void
  /** Status and body of a command; the namespace stands in the path, `?` begins the query string. */
  send(path: string, body?: unknown, method?: string): { readonly status: number; readonly body: unknown }
  /** Result of a command that must succeed. */
  resultOf(path: string, body?: unknown, method?: string): unknown
  /** Status and text of a command that must fail. */
  failureOf(path: string, body?: unknown, method?: string): string
}

export function testIndex(settings: unknown = {}): TestIndex {
  const clock = { nowMs: Date.UTC(2026, 0, 1) }
  let uuids = 0
  const index = new IndexInMemory(settings, {
    nowMs: () => clock.nowMs,
    randomUuid: () => `uuid-${(uuids += 1)}`,
  })
  const send = (path: string, body?: unknown, method = 'POST') => index.answer(method, path, body)
  return {
    clock,
    index,
    restart: (others) => index.restart(others),
    send,
    resultOf(path, body, method) {
      const { status, body: answer } = send(path, body, method)
      expect(answer).toHaveProperty('result')
      expect(status).toBe(200)
      // As it goes over the wire: members that are undefined are not there.
      return 'result' in answer ? parseJson(jsonText(answer.result)) : undefined
    },
    failureOf(path, body, method) {
      const { status, body: answer } = send(path, body, method)
      expect(answer).toEqual({ error: expect.any(String), status })
      return 'error' in answer ? `${status} ${answer.error}` : ''
    },
  }
}
