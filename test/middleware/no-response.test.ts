import { type Context, Hono } from 'hono'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { RagGateEnv } from '../../src/index.ts'
import { aGate, QUESTION } from '../fixtures/gate.ts'

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue())
afterEach(() => vi.restoreAllMocks())

/** A handler without types: it may return anything. */
type Handler = (c: Context<RagGateEnv>) => unknown

const thrower = (thrown: unknown) => (): never => {
  throw thrown
}

const HANDLERS: readonly (readonly [string, string, Handler])[] = [
  ['returns nothing', 'config_invalid', (c) => void c.json({ answer: 'Turn the red key.' })],
  ['returns null', 'config_invalid', () => null],
  ['returns a string', 'config_invalid', () => 'Turn the red key.'],
  ['returns an object', 'config_invalid', () => ({ answer: 'Turn the red key.' })],
  ['returns an object with a status', 'config_invalid', () => ({ status: 200, headers: {} })],
  ['returns the error response of a fetch', 'config_invalid', () => Response.error()],
  [
    'returns a response that was read',
    'config_invalid',
    async () => {
      const read = Response.json({ answer: 'Turn the red key.' })
      await read.text()
      return read
    },
  ],
  [
    'returns a response that is being read',
    'config_invalid',
    () => {
      const read = Response.json({ answer: 'Turn the red key.' })
      read.body?.getReader()
      return read
    },
  ],
  ['throws a string', 'internal', thrower('down')],
  ['throws undefined', 'internal', thrower(undefined)],
  ['throws an object', 'internal', thrower({ code: 'down' })],
]

it.each(HANDLERS)(
  'a handler that %s causes an error with a code, recorded once and not stored',
  async (_, code, handler) => {
    const { gate, journal } = aGate()
    const app = new Hono<RagGateEnv>()
    // It returns what its type forbids.
    app.post('/ask', gate, handler as () => Response)
    const headers = { 'content-type': 'application/json' }
    const response = await app.request('/ask', {
      method: 'POST',
      headers,
      body: JSON.stringify({ question: QUESTION }),
    })
    const message = code === 'internal' ? 'Something went wrong' : 'The handler returned no Response'
    expect([response.status, await response.json()]).toMatchObject([500, { error: { code, message } }])
    expect(response.headers.get('rag-gate')).toMatch(/^pass;/)
    expect(journal.events).toMatchObject([{ status: 500, cache: 'miss', decision: { verdict: 'pass' } }])
    expect([...journal.stored, ...journal.storedByEvidence]).toEqual([])
  },
)
