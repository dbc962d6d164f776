import { describe, expect, it } from 'vitest'
import { MOST_PURGES, noPurges, notePurges, purgedSince } from '../../../src/core/policy/purged-scopes.ts'
import { type PurgeScope, purgeScopeText } from '../../../src/core/policy/purge-scope.ts'

const ANN: PurgeScope = { kind: 'tenant', tenant: 'ann' }
const BEN: PurgeScope = { kind: 'tenant', tenant: 'ben' }
const at = (scope: PurgeScope, epoch: number): readonly [string, number] => [purgeScopeText(scope), epoch]

describe('a list of purges', () => {
  it('is empty at first', () => {
    expect(noPurges()).toEqual({ epoch: 0, foldedEpoch: 0, epochs: new Map() })
    expect(purgedSince(noPurges(), 0, [ANN])).toBe(false)
  })

  it('purges what was stored before the latest purge of any of its scopes', () => {
    const known = noPurges()
    notePurges(known, [at(ANN, 7), at(BEN, 2), at(ANN, 3)])
    expect(known.epoch).toBe(7)
    const since = (epoch: number, ...scopes: readonly PurgeScope[]) => purgedSince(known, epoch, scopes)
    expect([since(6, ANN), since(7, ANN), since(1, BEN), since(2, BEN)]).toEqual([true, false, true, false])
    expect([since(2, BEN, ANN), since(2), since(0, { kind: 'everything' })]).toEqual([true, false, false])
  })

  it('accepts purges late, out of order and twice', () => {
    const known = noPurges()
    notePurges(known, [at(ANN, 7)])
    notePurges(known, [at(ANN, 3), at(BEN, 5)])
    expect(known.epoch).toBe(7)
    expect(purgedSince(known, 6, [ANN])).toBe(true)
    expect(purgedSince(known, 4, [BEN])).toBe(true)
  })

  it('replaces the oldest purges beyond its limit by one epoch that counts for every scope', () => {
    const known = noPurges()
    const one = (number: number): readonly [string, number] => at({ kind: 'tenant', tenant: `t${number}` }, number)
    const many = Array.from({ length: MOST_PURGES }, (_, index) => one(index + 1))
    notePurges(known, many.toReversed())
    expect([known.foldedEpoch, known.epochs.size]).toEqual([0, MOST_PURGES])
    // The first is purged again, so that the second is the one of longest ago.
    notePurges(known, [at({ kind: 'tenant', tenant: 't1' }, MOST_PURGES + 1), at(ANN, MOST_PURGES + 2)])
    expect([known.epoch, known.foldedEpoch, known.epochs.size]).toEqual([MOST_PURGES + 2, 2, MOST_PURGES])
    expect(known.epochs.has(one(1)[0])).toBe(true)
    expect(known.epochs.has(one(2)[0])).toBe(false)
    // It counts for all, as nothing is known of it one by one.
    expect([purgedSince(known, 1, [BEN]), purgedSince(known, 2, [BEN])]).toEqual([true, false])
    notePurges(known, [at(BEN, 1)])
    expect(known.foldedEpoch).toBe(3)
  })
})
