import { expect, it } from 'vitest'
import { createMemoryCoalescer } from '../../src/adapters/memory-coalescer.ts'
import { coalescerContract, leaderOf } from '../contracts/coalescer.ts'

coalescerContract('memory', (leaderTimeoutMs) => createMemoryCoalescer({ leaderTimeoutMs }))

it('removes flights that ended, but none with a leader', async () => {
  const coalescer = createMemoryCoalescer()
  const leader = leaderOf(await coalescer.join('held', 0))
  for (let at = 0; at < 2000; at++) await leaderOf(await coalescer.join(`key ${at}`, 0)).complete({ kind: 'failed' })
  const waiting = coalescer.join('held', 0)
  await leader.complete({ kind: 'separate' })
  expect(await waiting).toEqual({ kind: 'separate' })
})
