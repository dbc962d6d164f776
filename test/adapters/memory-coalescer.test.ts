import { expect, it } from 'vitest'
import { createMemoryCoalescer } from '../../src/adapters/memory-coalescer.ts'
import { coalescerContract, leadOf } from '../contracts/coalescer.ts'

coalescerContract('memory', createMemoryCoalescer)

it('forgets flights that ended, and none in which somebody leads', async () => {
  const coalescer = createMemoryCoalescer()
  const lead = leadOf(await coalescer.join('held', 60_000))
  for (let at = 0; at < 2000; at++) await leadOf(await coalescer.join(`key ${at}`, 1000)).land('failed')
  const waiting = coalescer.join('held', 60_000)
  await lead.land('not-stored')
  expect(await waiting).toEqual({ kind: 'alone' })
})
