import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { type CountedFault, createD1RequestFaults } from '../../../packages/console/src/d1/request-faults.ts'

const HOUR_MS = 3_600_000
const faults = createD1RequestFaults({ db: env.DB })
const aFault = (hour: number, requests: number, given: Partial<CountedFault> = {}): CountedFault => ({
  hourMs: hour * HOUR_MS,
  route: '/ask',
  status: 400,
  code: 'invalid_json',
  requests,
  ...given,
})

it('adds up isolates and whole hours, each count once, the most frequent first', async () => {
  await faults.note('one', [aFault(1, 2), aFault(2, 3), aFault(3, 5), aFault(2, 4, { route: '/v1' })])
  await faults.note('two', [aFault(2, 1), aFault(2, 4, { status: 401 }), aFault(2, 5, { code: '' })])
  // Delivered again, and an older one late.
  await faults.note('one', [aFault(2, 3)])
  await faults.note('one', [aFault(2, 2)])
  const list = async (from: number, to: number) =>
    (await faults.list(from * HOUR_MS, to * HOUR_MS)).map((each) => Object.values(each))
  expect(await list(2, 3)).toEqual([
    ['/ask', 400, '', 5],
    ['/ask', 400, 'invalid_json', 4],
    ['/ask', 401, 'invalid_json', 4],
    ['/v1', 400, 'invalid_json', 4],
  ])
  expect(await list(1.9, 3.1)).toEqual([
    ['/ask', 400, 'invalid_json', 11],
    ['/ask', 400, '', 5],
    ['/ask', 401, 'invalid_json', 4],
    ['/v1', 400, 'invalid_json', 4],
  ])
})

it('stores any number of kinds, and lists a hundred', async () => {
  const many = Array.from({ length: 120 }, (_, at) => aFault(9, at + 1, { route: `/${at}` }))
  await faults.note('many', many)
  await faults.note('many', [])
  const listed = await faults.list(9 * HOUR_MS, 10 * HOUR_MS)
  expect([listed.length, listed[0]!.requests, listed[99]!.requests]).toEqual([100, 120, 21])
})
