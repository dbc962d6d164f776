import { describe, expect, it } from 'vitest'
import { purgeCopies, type PurgeRow } from '../../../src/adapters/answer-cache.ts'
import { MOST_PURGES } from '../../../src/core/policy/purged-scopes.ts'
import { type PurgeScope, purgeScopeText, tenantOfScope } from '../../../src/core/policy/purge-scope.ts'
import { answerPurgesContract } from '../../contracts/answer-purges.ts'

const EVERYTHING: PurgeScope = { kind: 'everything' }
const TENANT: PurgeScope = { kind: 'tenant', tenant: 'acme' }
const one = (documentId: string): PurgeScope => ({ kind: 'document', tenant: 'acme', collection: 'manual', documentId })

/** A list that others write to as well, its copies, and the reads of the list. */
function setUp(copyMaxAgeMs = 5000) {
  const clock = { atMs: 7_200_000, nowMs: () => clock.atMs }
  let rows: { readonly tenant: string; readonly row: PurgeRow }[] = []
  let epoch = 0
  const reads: (readonly [tenant: string, epoch: number])[] = []
  /** Resolves before each read returns. */
  const list = { reading: Promise.resolve() }
  const copies = purgeCopies(copyMaxAgeMs, clock, async (tenant, newer) => {
    reads.push([tenant, newer])
    const read = rows.filter(({ row }) => row[1] > newer).reverse()
    await list.reading
    const own = read.filter((each) => each.tenant === tenant).slice(0, MOST_PURGES + 1)
    return [...own, ...read.filter((each) => each.tenant === '')].map(({ row }) => row)
  })
  return {
    clock,
    copies,
    reads,
    list,
    /** Writes to the list, as another isolate does. */
    write: (scopes: readonly PurgeScope[]): number => {
      epoch++
      const texts = new Set(scopes.map(purgeScopeText))
      rows = rows.filter(({ row: [scope] }) => !texts.has(scope))
      for (const scope of scopes) rows.push({ tenant: tenantOfScope(scope), row: [purgeScopeText(scope), epoch] })
      return epoch
    },
    isPurged: async (scope: PurgeScope, since = 0) => (await copies.known('acme')).purgedSince(since, [TENANT, scope]),
  }
}

answerPurgesContract('purgeCopies', () => {
  const { copies, write } = setUp(0)
  return {
    ...copies,
    async purge(scopes) {
      const epoch = write(scopes)
      copies.purged(scopes)
      return epoch
    },
  }
})

describe('a copy of a list of purges', () => {
  it('is used until it is too old, and then only newer purges are read', async () => {
    const { clock, reads, copies, write, isPurged } = setUp()
    write([one('a')])
    expect([await isPurged(one('a')), copies.maxAgeSeconds]).toEqual([true, 5])
    write([one('b')])
    clock.atMs += 4999
    expect(await isPurged(one('b'))).toBe(false)
    expect(reads).toEqual([['acme', 0]])
    clock.atMs += 1
    expect([await isPurged(one('b')), await isPurged(one('a'))]).toEqual([true, true])
    expect(reads).toEqual([
      ['acme', 0],
      ['acme', 1],
    ])
  })

  it('states its age in whole seconds, never too few', () => {
    expect([0, 1, 1000, 1001].map((ms) => setUp(ms).copies.maxAgeSeconds)).toEqual([0, 1, 1, 2])
  })

  it('is read again when the clock was set back', async () => {
    const { clock, write, isPurged } = setUp()
    await isPurged(one('a'))
    write([one('a')])
    clock.atMs -= 1
    expect(await isPurged(one('a'))).toBe(true)
  })

  it('is as old as the beginning of its reading', async () => {
    const { clock, list, reads, copies } = setUp()
    let finish = (): void => undefined
    list.reading = new Promise((resolve) => (finish = resolve))
    const reading = copies.known('acme')
    clock.atMs += 5000
    finish()
    await reading
    await copies.known('acme')
    expect(reads).toHaveLength(2)
  })

  it('is read again after a purge through this object, also one made while it is read', async () => {
    const { list, copies, write, isPurged } = setUp()
    await isPurged(one('a'))
    write([one('a')])
    copies.purged([one('a')])
    expect(await isPurged(one('a'))).toBe(true)
    copies.purged([TENANT])
    let finish = (): void => undefined
    list.reading = new Promise((resolve) => (finish = resolve))
    const reading = isPurged(one('b'))
    write([one('b')])
    copies.purged([one('b')])
    finish()
    expect(await reading).toBe(false)
    expect(await isPurged(one('b'))).toBe(true)
  })

  it('of every tenant is read again after a purge of everything, of others only their own', async () => {
    const { reads, copies } = setUp()
    const tenants = async () => {
      for (const tenant of ['acme', 'globex']) await copies.known(tenant)
      return reads.splice(0).map(([tenant]) => tenant)
    }
    await tenants()
    copies.purged([TENANT, one('a')])
    expect(await tenants()).toEqual(['acme'])
    copies.purged([TENANT, EVERYTHING])
    expect(await tenants()).toEqual(['acme', 'globex'])
    copies.purged([{ kind: 'tenant', tenant: 'unknown' }])
    expect(await tenants()).toEqual([])
  })

  it('keeps purges that another request read while it was read', async () => {
    const { list, copies, write, isPurged } = setUp(0)
    let finish = (): void => undefined
    list.reading = new Promise((resolve) => (finish = resolve))
    const slow = copies.known('acme')
    list.reading = Promise.resolve()
    write([one('a')])
    expect(await isPurged(one('a'))).toBe(true)
    finish()
    expect((await slow).purgedSince(0, [one('a')])).toBe(true)
  })

  it('counts a purge of the whole tenant, and the oldest of too many, for all older answers', async () => {
    const { write, isPurged } = setUp(0)
    write([one('a')])
    const whole = write([TENANT])
    write([one('b')])
    expect([await isPurged(one('x'), whole - 1), await isPurged(one('x'), whole)]).toEqual([true, false])
    const last = Array.from({ length: MOST_PURGES }, (_, at) => write([one(String(at))]))
    expect(await isPurged(one('x'), last[0]! - 1)).toBe(false)
    const first = write([one('the first of too many')])
    for (let at = 0; at < MOST_PURGES; at++) write([one(`further ${at}`)])
    expect([await isPurged(one('x'), first - 1), await isPurged(one('x'), first)]).toEqual([true, false])
  })
})
