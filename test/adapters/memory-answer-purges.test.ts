import { expect, it } from 'vitest'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import type { PurgeScope } from '../../src/core/policy/purge-scope.ts'
import { answerPurgesContract } from '../contracts/answer-purges.ts'
import { growth, PROPORTION } from '../growth.ts'

answerPurgesContract('createMemoryAnswerPurges', createMemoryAnswerPurges)

it('beyond a thousand tenants, the purges of the one purged longest ago count for everyone’s older answers', async () => {
  const tenant = (at: number): PurgeScope => ({ kind: 'tenant', tenant: String(at) })
  const purges = createMemoryAnswerPurges()
  for (let at = 1; at <= 1000; at++) await purges.purge([tenant(at)])
  await purges.purge([tenant(1)])
  const purged = async (at: number, since: number): Promise<boolean> =>
    (await purges.known(String(at))).purgedSince(since, [tenant(at)])
  expect([await purged(1, 1000), await purged(1, 1001), await purged(2000, 0)]).toEqual([true, false, false])
  await purges.purge([tenant(1001)])
  // The purge of the tenant 2 was the second.
  expect([await purged(2, 1), await purged(2, 2), await purged(2000, 1), await purged(2000, 2)]).toEqual([
    true,
    false,
    true,
    false,
  ])
  await purges.purge([{ kind: 'everything' }])
  await purges.purge([tenant(1002)])
  expect(await purged(2000, 1002)).toBe(true)
})

it('a purge takes as long whether or not it removes the oldest', async () => {
  const purgeEach = async (documentIds: string): Promise<void> => {
    const purges = createMemoryAnswerPurges()
    for (let at = 0; at < documentIds.length; at++)
      await purges.purge([{ kind: 'document', tenant: 'acme', collection: 'manual', documentId: String(at) }])
  }
  expect(await growth(purgeEach, 'x', 16_000)).toBeLessThan(PROPORTION)
})
