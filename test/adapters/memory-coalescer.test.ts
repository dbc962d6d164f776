import { expect, it } from 'vitest'
import { createMemoryCoalescer } from '../../src/adapters/memory-coalescer.ts'
import { coalescerContract, leaderOf } from '../contracts/coalescer.ts'

coalescerContract('memory', createMemoryCoalescer)

it('forgets flights that ended, and none in which somebody leads', async () => {
  const coalescer = createMemoryCoalescer()
  const leader = leaderOf(await coalescer.join('held', 60_000))
  for (let at = 0; at < 2000; at++) await leaderOf(await coalescer.join(`key ${at}`, 1000)).complete('failed')
  const waiting = coalescer.join('held', 60_000)
  await leader.complete('not-stored')
  expect(await waiting).toEqual({ kind: 'separate' })
})
