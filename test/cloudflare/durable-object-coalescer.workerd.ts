import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createDurableObjectCoalescer } from '../../packages/cloudflare/src/durable-object-coalescer.ts'
import { coalescerContract, leaderOf } from '../contracts/coalescer.ts'
import { aStoredAnswer } from '../fixtures/decision.ts'

const coalescer = (leaderTimeoutMs: number) =>
  createDurableObjectCoalescer({ namespace: env.ANSWER_FLIGHTS!, leaderTimeoutMs })

const TERMS = { leaderTimeoutMs: 10_000, purgeEpoch: 0 }

coalescerContract('Durable Object', coalescer)

it('uses sixteen objects for any number of keys, because the first call to a new one is slow', async () => {
  const names: string[] = []
  const namespace = new Proxy(env.ANSWER_FLIGHTS!, {
    get(target, property) {
      if (property !== 'getByName') return Reflect.get(target, property) as unknown
      return (name: string) => {
        names.push(name)
        return target.getByName(name)
      }
    },
  })
  const many = createDurableObjectCoalescer({ namespace })
  const keys = Array.from({ length: 200 }, (_, at) => `question ${at}`)
  const roles = await Promise.all(keys.map((key) => many.join(key, 0)))
  expect(new Set(roles.map(({ kind }) => kind))).toEqual(new Set(['leader']))
  await Promise.all(roles.map((role) => leaderOf(role).complete({ kind: 'failed' })))
  expect([...new Set(names)].sort().join('')).toBe('0123456789abcdef')
})

it('a leader whose object is gone completes without an error, and its connection is disposed of', async () => {
  const said: string[] = []
  const gone = (what: string) => async () => {
    said.push(what)
    throw new Error('The object was reset')
  }
  const leader = { begin: gone('begin'), complete: gone('complete'), [Symbol.dispose]: () => void said.push('dispose') }
  const namespace = { getByName: () => ({ join: async () => ({ kind: 'leader', leader }) }) } as never
  const own = leaderOf(await createDurableObjectCoalescer({ namespace }).join('key', 0))
  own.begin(aStoredAnswer('key'), new Blob(['text']).stream())
  await own.complete({ kind: 'failed' })
  expect(said).toEqual(['begin', 'complete', 'dispose'])
})

describe('a leader that disappears', () => {
  it('is replaced by the next waiting caller, however many are lost', async () => {
    const stub = env.ANSWER_FLIGHTS!.getByName('0')
    const first = await stub.join('lost', TERMS)
    const waiting = [stub.join('lost', TERMS), stub.join('lost', TERMS)]
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
