/** Whole numbers that float64 does not hold, from a body to storage, a filter and an answer. */
import { describe, expect, test } from 'vitest'
import { jsonText, parseJson } from '../../../packages/vector-index/src/exact-json.ts'
import { parseBody } from '../../../packages/vector-index/src/protocol/request-body.ts'
import { wireText } from '../../../packages/vector-index/src/protocol/wire-text.ts'
import { testIndex } from '../test-index.ts'

const LARGE = '9007199254740993'
const NEIGHBOUR = '9007199254740992'
const HUGE = '-123456789012345678901234567890'

test.each([
  LARGE,
  NEIGHBOUR,
  HUGE,
  '25908103572887150',
  `{"a":[${LARGE},1.5,{"b":${HUGE}}],"c":"${LARGE}"}`,
  '[0.12345678901234566,1e+21,9007199254740991]',
])('%s is written as it was read', (text) => {
  expect(jsonText(parseJson(text))).toBe(text)
})

test('digits in strings do not make all values be visited one by one', () => {
  // Visiting them recurses, which this is too deep for.
  const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const parsed = (id: string) => parseJson(`{"id":${id},"vector":[0.1234567890123456,-1e-7],"nested":${nested}}`)
  expect(() => parsed(LARGE)).toThrow(RangeError)
  expect(parsed(`"${LARGE}"`)).toHaveProperty('id', LARGE)
  expect(parsed(`"no.${LARGE}"`)).toHaveProperty('id', `no.${LARGE}`)
})

describe('in metadata', () => {
  const tested = testIndex({ indexType: 'DENSE', dimension: 2 })
  const send = (command: string, body: string) => wireText(tested.send(command, parseBody(command, body)).body)
  const rows = [LARGE, NEIGHBOUR, HUGE, '1'].map(
    (number, at) => `{"id":"${at}","vector":[1,${at}],"metadata":{"n":${number},"list":[${number}]}}`,
  )
  send('upsert', `[${rows.join(',')}]`)
  const found = (filter: string) =>
    Array.from(send('query', `{"vector":[1,0],"topK":9,"filter":"${filter}"}`).matchAll(/"id":"(\d)"/g), ([, id]) => id)

  test('are returned unchanged by fetch, query and range', () => {
    expect(send('fetch', '{"ids":["0"],"includeMetadata":true}')).toBe(
      `{"result":[{"id":"0","metadata":{"n":${LARGE},"list":[${LARGE}]}}]}`,
    )
    expect(send('query', '{"vector":[1,2],"topK":1,"includeMetadata":true}')).toContain(`"n":${HUGE}`)
    expect(send('range', '{"includeMetadata":true}')).toContain(`"n":${NEIGHBOUR},"list":[${NEIGHBOUR}]`)
  })

  test.each([
    [`n = ${LARGE}`, ['0']],
    [`n = ${NEIGHBOUR}`, ['1']],
    [`n != ${LARGE}`, ['1', '2', '3']],
    [`n > ${NEIGHBOUR}`, ['0']],
    [`n <= ${NEIGHBOUR}`, ['1', '2', '3']],
    [`n IN (${HUGE}, ${LARGE})`, ['0', '2']],
    [`list CONTAINS ${LARGE}`, ['0']],
    ['n < -1e20', ['2']],
  ])('are filtered exactly: %s', (filter, ids) => {
    expect(found(filter).sort()).toEqual(ids)
  })

  test('are kept when other members are patched', () => {
    send('update', '{"id":"0","metadata":{"x":1},"metadataUpdateMode":"PATCH"}')
    expect(send('fetch', '{"ids":["0"],"includeMetadata":true}')).toContain(`"n":${LARGE}`)
  })
})

test('large numbers as ids are kept as they are written', () => {
  const tested = testIndex({ indexType: 'DENSE', dimension: 2 })
  for (const id of [LARGE, NEIGHBOUR]) tested.resultOf('upsert', parseJson(`{"id":${id},"vector":[1,2]}`))
  expect(tested.resultOf('range', {})).toMatchObject({ vectors: [{ id: LARGE }, { id: NEIGHBOUR }] })
})

test('large numbers in a vector are ordinary numbers', () => {
  const tested = testIndex({ indexType: 'DENSE', dimension: 2 })
  tested.resultOf('upsert', parseJson(`{"id":"a","vector":[${LARGE},0]}`))
  expect(tested.resultOf('query', { vector: [1, 0], topK: 1 })).toEqual([{ id: 'a', score: 1 }])
})

describe('a body of delete', () => {
  const ids = (body: string) => parseBody('delete', body)

  test.each([
    ['id-0', 'id-0'],
    ['"id-0"', 'id-0'],
    ['5', '5'],
    ['1.0', '1.0'],
    [LARGE, LARGE],
    ['true', 'true'],
    ['null', 'null'],
    ['{broken', '{broken'],
    ['["a"]', ['a']],
    ['{"ids":["a"]}', { ids: ['a'] }],
  ])('%s is parsed as %j', (body, parsed) => {
    expect(ids(body)).toEqual(parsed)
  })

  test('may be a single id', () => {
    const tested = testIndex({ indexType: 'DENSE', dimension: 2 })
    tested.resultOf('upsert', { id: 'a', vector: [1, 2] })
    expect(tested.resultOf('delete', 'a')).toEqual({ deleted: 1 })
    expect(tested.resultOf('delete', 'a')).toEqual({ deleted: 0 })
  })

  test('must be JSON for another command', () => {
    expect(() => parseBody('fetch', 'id-0')).toThrow('The body is not valid JSON')
  })
})
