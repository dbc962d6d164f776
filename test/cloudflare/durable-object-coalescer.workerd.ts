import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createDurableObjectCoalescer } from '../../packages/cloudflare/src/durable-object-coalescer.ts'
import { coalescerContract } from '../contracts/coalescer.ts'

const coalescer = (leaderTimeoutMs: number) =>
  createDurableObjectCoalescer({ namespace: env.ANSWER_FLIGHTS!, leaderTimeoutMs })

const TERMS = { leaderTimeoutMs: 10_000, purgeEpoch: 0 }

coalescerContract('Durable Object', coalescer)

describe('a leader that is gone', () => {
  it('has the next of those who wait leader in its stead, however many were lost', async () => {
    const stub = env.ANSWER_FLIGHTS!.getByName('lost leaders')
    const first = await stub.join(TERMS)
    const waiting = [stub.join(TERMS), stub.join(TERMS)]
    if (first.kind !== 'leader') throw new Error('There is no leader')
    // As the runtime does when the request is over that was given it.
    first.leader[Symbol.dispose]()
    const second = await Promise.race(waiting)
    if (second.kind !== 'leader') throw new Error('There is no leader after the first')
    second.leader[Symbol.dispose]()
    const kinds = (await Promise.all(waiting)).map(({ kind }) => kind)
    expect(kinds).toEqual(['leader', 'leader'])
  })
})
