import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createD1ApiKeys } from '../../../packages/console/src/d1/api-keys.ts'

const NOW = Date.UTC(2026, 0, 1)
const clock = { atMs: NOW, nowMs: () => clock.atMs }
const keysOf = (copyMaxAgeMs?: number) =>
  createD1ApiKeys({ db: env.DB, clock, ...(copyMaxAgeMs === undefined ? {} : { copyMaxAgeMs }) })
const READER = { name: 'reader', scopes: ['ask'], expiresAtMs: null } as const

describe('createD1ApiKeys', () => {
  it('makes keys that identify their holder, and stores no secret', async () => {
    const keys = keysOf()
    const made = await keys.make({ ...READER, tenant: 'acme' })
    expect(made.token).toMatch(/^rg_[a-z2-7]{16}_[a-z2-7]{52}$/)
    expect(await keys.principalOf(made.token)).toEqual({ tenant: 'acme', id: `key:${made.id}`, scopes: ['ask'] })
    const { results } = await env.DB.prepare('SELECT * FROM api_keys').all()
    const secret = made.token.split('_')[2]!
    expect(JSON.stringify(results)).toContain(made.id)
    expect(JSON.stringify(results)).not.toContain(secret)
  })

  it('never makes the same key twice', async () => {
    const keys = keysOf()
    const made = await Promise.all(Array.from({ length: 20 }, () => keys.make({ ...READER, tenant: 'many' })))
    expect(new Set(made.map(({ token }) => token)).size).toBe(20)
    expect(new Set(made.map(({ id }) => id)).size).toBe(20)
  })

  it('rejects a token that differs in a single character', async () => {
    const keys = keysOf()
    const { token } = await keys.make({ ...READER, tenant: 'close' })
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === 'a' ? 'b' : 'a'
      expect(await keys.principalOf(token.slice(0, at) + other + token.slice(at + 1))).toBeNull()
    }
    for (const wrong of ['', 'rg_', `${token}a`, token.slice(0, -1), token.toUpperCase(), `x${token}`]) {
      expect(await keys.principalOf(wrong)).toBeNull()
    }
    expect(await keys.principalOf(token)).not.toBeNull()
  })

  it('rejects a key after its expiry', async () => {
    const keys = keysOf()
    const { token } = await keys.make({ ...READER, tenant: 'brief', expiresAtMs: NOW + 5_000 })
    expect(await keys.principalOf(token)).not.toBeNull()
    clock.atMs = NOW + 5_000
    expect(await keys.principalOf(token)).toBeNull()
    clock.atMs = NOW
  })

  it('revokes a key at once here, and elsewhere once copies are too old', async () => {
    const keys = keysOf()
    const elsewhere = keysOf(10_000)
    const { id, token } = await keys.make({ ...READER, tenant: 'revoked' })
    expect(await elsewhere.principalOf(token)).not.toBeNull()
    expect(await keys.revoke('revoked', id)).toBe(true)
    expect(await keys.principalOf(token)).toBeNull()
    clock.atMs = NOW + 9_999
    expect(await elsewhere.principalOf(token)).not.toBeNull()
    clock.atMs = NOW + 10_000
    expect(await elsewhere.principalOf(token)).toBeNull()
    clock.atMs = NOW
    expect(await keys.revoke('revoked', id)).toBe(false)
  })

  it('rejects a revoked key, also when it was used meanwhile', async () => {
    const keys = keysOf()
    const { id, token } = await keys.make({ ...READER, tenant: 'meanwhile' })
    await keys.principalOf(token)
    const revoking = keys.revoke('meanwhile', id)
    await Promise.all([keys.principalOf(token), revoking])
    expect(await keys.principalOf(token)).toBeNull()
  })

  it('hides a key from other tenants, who cannot revoke it', async () => {
    const keys = keysOf()
    const { id, token } = await keys.make({ ...READER, tenant: 'mine' })
    expect(await keys.revoke('theirs', id)).toBe(false)
    expect(await keys.list('theirs')).toEqual([])
    expect(await keys.principalOf(token)).not.toBeNull()
    const listed = await keys.list('mine')
    expect(listed).toEqual([
      { id, tenant: 'mine', name: 'reader', scopes: ['ask'], createdAtMs: NOW, expiresAtMs: null, revokedAtMs: null },
    ])
  })

  it.each([-1, 60_001, Number.NaN])('rejects a maximum age of copies of %d ms', (copyMaxAgeMs) => {
    expect(() => keysOf(copyMaxAgeMs)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })

  it.each([-1, 60_001, Number.NaN])('rejects remembering unknown ids for %d ms', (unknownMaxAgeMs) => {
    expect(() => createD1ApiKeys({ db: env.DB, unknownMaxAgeMs })).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'unknownMaxAgeMs' }),
    )
  })
})

/** The database, counting what is asked of it. */
function counted() {
  const asked: string[] = []
  const db = {
    prepare: (sql: string) => {
      asked.push(sql)
      return env.DB.prepare(sql)
    },
  } as typeof env.DB
  return { asked, keys: createD1ApiKeys({ db, clock }) }
}

it('a copy from later than the clock is read again', async () => {
  const { asked, keys } = counted()
  const { token } = await keysOf().make({ ...READER, tenant: 'ahead' })
  for (const [atMs, reads] of [
    [NOW, 1],
    [NOW, 1],
    [NOW - 1, 2],
  ] as const) {
    clock.atMs = atMs
    expect(await keys.principalOf(token)).not.toBeNull()
    expect(asked).toHaveLength(reads)
  }
  clock.atMs = NOW
})

describe('a key while the database is away', () => {
  /** A database that can be away, and keys over it. */
  function unsteady(outageMaxAgeMs?: number) {
    const state = { isAway: false }
    const fail = () => Promise.reject(new Error('D1_ERROR: D1 is away'))
    const statement = { bind: () => statement, all: fail, first: fail, raw: fail, run: fail }
    const prepare = (sql: string) => (state.isAway ? statement : env.DB.prepare(sql))
    const db = { prepare } as unknown as typeof env.DB
    return { state, keys: createD1ApiKeys({ db, clock, ...(outageMaxAgeMs === undefined ? {} : { outageMaxAgeMs }) }) }
  }
  const AWAY = expect.objectContaining({ code: 'store_unavailable' })

  it('is accepted from a copy that is young enough, and none other is', async () => {
    const { state, keys } = unsteady(60_000)
    const { token } = await keys.make({ ...READER, tenant: 'outage' })
    const other = await keys.make({ ...READER, tenant: 'outage' })
    expect(await keys.principalOf(token)).not.toBeNull()
    state.isAway = true
    clock.atMs = NOW + 59_999
    expect(await keys.principalOf(token)).toMatchObject({ tenant: 'outage' })
    expect(await keys.principalOf(`${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`)).toBeNull()
    await expect(keys.principalOf(other.token)).rejects.toEqual(AWAY)
    clock.atMs = NOW + 60_000
    await expect(keys.principalOf(token)).rejects.toEqual(AWAY)
    clock.atMs = NOW
  })

  it('is not accepted by default, nor after its row was found to be gone', async () => {
    const { state, keys } = unsteady()
    const lasting = unsteady(60_000)
    const { id, token } = await keys.make({ ...READER, tenant: 'gone' })
    for (const each of [keys, lasting.keys]) expect(await each.principalOf(token)).not.toBeNull()
    state.isAway = true
    clock.atMs = NOW + 10_000
    await expect(keys.principalOf(token)).rejects.toEqual(AWAY)
    await env.DB.prepare('DELETE FROM api_keys WHERE id = ?1').bind(id).run()
    expect(await lasting.keys.principalOf(token)).toBeNull()
    lasting.state.isAway = true
    clock.atMs = NOW + 20_000
    await expect(lasting.keys.principalOf(token)).rejects.toEqual(AWAY)
    clock.atMs = NOW
  })
})

it('the clock is that of the platform by default', async () => {
  const { id, token } = await createD1ApiKeys({ db: env.DB }).make({
    ...READER,
    tenant: 'now',
    expiresAtMs: Date.now(),
  })
  expect(await createD1ApiKeys({ db: env.DB }).principalOf(token)).toBeNull()
  const [key] = await keysOf().list('now')
  expect(key?.id).toBe(id)
  expect(Math.abs(Date.now() - (key?.createdAtMs ?? 0))).toBeLessThan(60_000)
})

it.runIf(env.TEST_DEEP)('of more than a thousand keys only the least recently used are looked up again', async () => {
  const elsewhere = keysOf()
  const { asked, keys } = counted()
  const tokens: string[] = []
  for (let at = 0; at < 1001; at++) {
    const { token } = await elsewhere.make({ ...READER, tenant: 'thousand' })
    tokens.push(token)
    await keys.principalOf(token)
  }
  asked.length = 0
  for (const token of tokens.slice(1)) expect(await keys.principalOf(token)).not.toBeNull()
  expect(asked).toEqual([])
  expect(await keys.principalOf(tokens[0]!)).not.toBeNull()
  expect(asked).toHaveLength(1)
})

describe('tokens of keys that do not exist', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567'
  const madeUp = (at: number): string =>
    `rg_${letters[at % 32]}${letters[Math.floor(at / 32) % 32]}${letters[Math.floor(at / 1024) % 32]}${'q'.repeat(13)}_${'z'.repeat(52)}`

  it('cost one lookup for a while, however often they are used', async () => {
    const { asked, keys } = counted()
    for (let at = 0; at < 50; at++) expect(await keys.principalOf(madeUp(1))).toBeNull()
    expect(asked).toHaveLength(1)
    clock.atMs = NOW + 5_000
    expect(await keys.principalOf(madeUp(1))).toBeNull()
    expect(asked).toHaveLength(2)
    clock.atMs = NOW
  })

  it('cost a few lookups by the thousand, and lock out no holder of a key', async () => {
    const { asked, keys } = counted()
    const elsewhere = keysOf()
    const { token, id } = await elsewhere.make({ ...READER, tenant: 'besieged' })
    for (let at = 0; at < 2_000; at++) expect(await keys.principalOf(madeUp(at))).toBeNull()
    expect(asked.length).toBeLessThanOrEqual(21)
    expect(await keys.principalOf(token)).toMatchObject({ id: `key:${id}` })
    // Made here it counts at once; made elsewhere when the list is read again.
    const here = await keys.make({ ...READER, tenant: 'besieged' })
    expect(await keys.principalOf(here.token)).not.toBeNull()
    const later = await elsewhere.make({ ...READER, tenant: 'besieged' })
    expect(await keys.principalOf(later.token)).toBeNull()
    clock.atMs = NOW + 5_000
    expect(await keys.principalOf(later.token)).not.toBeNull()
    clock.atMs = NOW
  })

  it('cost few lookups also when they are used at once', async () => {
    const { asked, keys } = counted()
    for (let at = 0; at < 20; at++) await keys.principalOf(madeUp(at))
    await keys.principalOf(madeUp(20))
    const before = asked.length
    const found = await Promise.all(Array.from({ length: 500 }, (_, at) => keys.principalOf(madeUp(at + 100))))
    expect(found.every((principal) => principal === null)).toBe(true)
    expect(asked.length).toBe(before)
  })
})
