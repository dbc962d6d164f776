import { expect, it, vi } from 'vitest'
import { RagGateError } from '../../src/errors.ts'
import type { Principal } from '../../src/ports/authenticator.ts'
import { requireScope } from '../../packages/console/src/api/require-scope.ts'

const ANN: Principal = { tenant: 'acme', id: 'key:ann', scopes: ['ask', 'ingest'] }
const request = (authorization?: string) =>
  new Request('https://gate.example/v1/documents', { headers: authorization === undefined ? {} : { authorization } })

it.each([
  ['a token with the scope', 'Bearer x', ANN, 'key:ann'],
  ['a token without it', 'Bearer x', { ...ANN, scopes: ['ask'] as const }, 'forbidden'],
  ['an unknown token', 'Bearer x', null, 'unauthorized'],
  ['no token, when anyone may ask', undefined, ANN, 'unauthorized'],
])('decides for %s', async (_, authorization, principal, outcome) => {
  const asked = requireScope({ authenticate: async () => principal }, request(authorization), 'ingest')
  expect(
    await asked.then(
      ({ id }) => id,
      (thrown: RagGateError) => thrown.code,
    ),
  ).toBe(outcome)
})

it('names the scope that is lacking', async () => {
  const asked = requireScope({ authenticate: async () => ANN }, request('Bearer x'), 'admin')
  await expect(asked).rejects.toThrow('The token lacks the scope admin')
})

it('a lookup that never ends does not block the request', async () => {
  vi.useFakeTimers()
  try {
    const authenticate = () => new Promise<never>(() => undefined)
    const outcome = requireScope({ authenticate }, request('Bearer x'), 'admin').catch((thrown: unknown) => thrown)
    await vi.advanceTimersByTimeAsync(3000)
    expect(await outcome).toMatchObject({ code: 'store_unavailable' })
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

it('passes on the error of a failing database', async () => {
  const failure = new RagGateError('store_unavailable', 'The database failed')
  const authenticate = () => Promise.reject(failure)
  await expect(requireScope({ authenticate }, request('Bearer x'), 'admin')).rejects.toBe(failure)
})
