/** An index of several objects: each namespace in one of its own, and one that knows them. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { holderName, keyOf } from '../../packages/vector-index/src/objects/object-names.ts'
import { indexStub } from '../../packages/vector-index/src/worker/index-stub.ts'

let made = 0
let name = ''

beforeEach(() => {
  name = `objects-${(made += 1)}`
})

/** Sends a command the way it is routed, or to the object of the index, which hands it on. */
async function send(path: string, body: unknown = [], by: 'route' | 'index' = 'route') {
  const request = new Request(`https://index.test/${path}`, { method: 'POST', body: JSON.stringify(body) })
  const stub = by === 'route' ? indexStub(env.VECTOR_INDEX, name) : env.VECTOR_INDEX.getByName(name)
  const response = await stub.fetch(request)
  return response.json<{ result?: never; error?: string; status?: number }>()
}

const holder = (namespace: string) => env.VECTOR_INDEX.getByName(holderName(name, keyOf(namespace)))
const rowsIn = (namespace: string) =>
  runInDurableObject(holder(namespace), (_object, { storage }) =>
    storage.sql.exec('SELECT id FROM vectors ORDER BY id').toArray(),
  )
const write = (namespace: string, ...ids: string[]) =>
  send(
    `upsert-data/${namespace}`,
    ids.map((id) => ({ id, data: `the edge of ${id}` })),
  )
const found = async (namespace: string): Promise<string[]> => {
  const { result = [] } = await send(`query-data/${namespace}`, { data: 'edge', topK: 9 })
  return (result as { id: string }[]).map(({ id }) => id).sort()
}
const counts = async () => {
  const { result } = await send('info')
  return Object.fromEntries(
    Object.entries((result as unknown as { namespaces: Record<string, { vectorCount: number }> }).namespaces).map(
      ([namespace, { vectorCount }]) => [namespace, vectorCount],
    ),
  )
}

describe('a namespace', () => {
  test('is its own object, and is counted by the index, also after both were evicted', async () => {
    await write('a', '1', '2')
    await write('b', '1')
    await write('', 'x')
    expect(await rowsIn('a')).toEqual([{ id: '1' }, { id: '2' }])
    expect(await rowsIn('b')).toEqual([{ id: '1' }])
    expect(await counts()).toEqual({ '': 1, a: 2, b: 1 })
    for (const stub of [env.VECTOR_INDEX.getByName(name), holder('a')]) await evictDurableObject(stub)
    expect(await counts()).toEqual({ '': 1, a: 2, b: 1 })
    expect(await found('a')).toEqual(['1', '2'])
    expect(await send('list-namespaces')).toEqual({ result: ['', 'a', 'b'] })
  })

  test('is the same whichever object gets the request', async () => {
    expect(await send('upsert-data/a b', { id: '1', data: 'edge' }, 'index')).toEqual({ result: 'Success' })
    expect(await found('a b')).toEqual(['1'])
    expect(await send('delete/a%20b', ['1'], 'index')).toEqual({ result: { deleted: 1 } })
    expect(await counts()).toEqual({ '': 0, 'a b': 0 })
  })

  test('that does not exist is read as empty, and not created', async () => {
    expect(await found('nowhere')).toEqual([])
    expect(await send('fetch/nowhere', ['1'])).toEqual({ result: [null] })
    expect(await send('reset/nowhere')).toEqual({ result: 'Success' })
    expect(await send('list-namespaces')).toEqual({ result: [''] })
  })

  test('is emptied by reset, alone or with all others', async () => {
    await write('a', '1')
    await write('b', '1')
    await send('reset/a')
    expect(await counts()).toEqual({ '': 0, a: 0, b: 1 })
    await send('reset?all')
    expect(await counts()).toEqual({ '': 0, a: 0, b: 0 })
    expect(await found('b')).toEqual([])
  })

  test('that was deleted no longer exists, and can be created again', async () => {
    await write('a', '1')
    expect(await send('delete-namespace/a')).toEqual({ result: 'Success' })
    expect(await rowsIn('a')).toEqual([])
    expect(await send('delete-namespace/a')).toMatchObject({ status: 404 })
    expect(await send('delete-namespace/')).toMatchObject({ status: 422 })
    expect(await found('a')).toEqual([])
    await write('a', '2')
    expect(await found('a')).toEqual(['2'])
    expect(await counts()).toEqual({ '': 0, a: 1 })
  })
})

test('a resumable query continues until it is ended', async () => {
  await write('a', '1', '2', '3')
  const { result } = await send('resumable-query-data/a', { data: 'edge', topK: 1 })
  const { uuid, scores } = result as unknown as { uuid: string; scores: { id: string }[] }
  const next = async () => (await send('resumable-query-next', { uuid, additionalK: 1 })).result as unknown
  expect(scores).toHaveLength(1)
  expect(await next()).toHaveLength(1)
  expect(await send('resumable-query-end', { uuid })).toEqual({ result: 'Success' })
  expect(await send('resumable-query-end', { uuid })).toMatchObject({ status: 404 })
  expect(await send('resumable-query-next', { uuid: 'unknown', additionalK: 1 })).toMatchObject({ status: 404 })
  expect(await send('resumable-query-end', {})).toMatchObject({ status: 422 })
})

test('a resumable query to a namespace that does not exist finds nothing and can be continued', async () => {
  const { result } = await send('resumable-query-data/nowhere', { data: 'edge', topK: 1 })
  const { uuid, scores } = result as unknown as { uuid: string; scores: unknown }
  expect(scores).toEqual([])
  expect(await send('resumable-query-next', { uuid, additionalK: 1 })).toEqual({ result: [] })
  expect(await send('resumable-query-end', { uuid })).toEqual({ result: 'Success' })
  expect(await send('list-namespaces')).toEqual({ result: [''] })
})

test('a resumable query ends with its namespace, and its question is deleted', async () => {
  await write('a', '1', '2')
  const { result } = await send('resumable-query-data/a', { data: 'edge', topK: 1 })
  const { uuid } = result as unknown as { uuid: string }
  await send('delete-namespace/a')
  expect(await send('resumable-query-next', { uuid, additionalK: 1 })).toMatchObject({ status: 404 })
  const kept = await runInDurableObject(holder('a'), (_object, { storage: { sql } }) => [
    ...sql.exec('SELECT uuid FROM resumable_queries UNION ALL SELECT uuid FROM resumable_returned'),
  ])
  expect(kept).toEqual([])
})

test('a lost count is reported again by the alarm', async () => {
  await write('a', '1')
  await runInDurableObject(env.VECTOR_INDEX.getByName(name), (_object, { storage }) => {
    storage.sql.exec(`UPDATE directory SET vectors = 0`)
  })
  expect(await runDurableObjectAlarm(holder('a'))).toBe(true)
  expect(await counts()).toEqual({ '': 0, a: 1 })
})

test('a namespace made with other settings is rejected, and others keep working', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  await write('a', '1')
  await runInDurableObject(holder('a'), (_object, { storage }) => {
    storage.sql.exec(`UPDATE made_for SET parts = 'DENSE, 2 COSINE no model'`)
  })
  await evictDurableObject(holder('a'))
  expect(await write('a', '2')).toMatchObject({
    status: 500,
    error: expect.stringContaining('DENSE, 2 COSINE no model'),
  })
  expect(await write('b', '1')).toEqual({ result: 'Success' })
  log.mockRestore()
})

test('concurrent writes to several namespaces are all counted', async () => {
  const writes = Array.from({ length: 40 }, (_, at) => write(`n${at % 8}`, `r${at}`))
  await Promise.all(writes)
  expect(await counts()).toEqual({ '': 0, ...Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`n${at}`, 5])) })
})

describe('a request with an unknown command', () => {
  test.each([
    ['nonsense', 400],
    ['nonsense/a', 400],
    ['upsert/%ff', 200],
  ])('%s is answered with %i', async (path, status) => {
    expect((await send(path, { id: '1', data: 'x' })).status ?? 200).toBe(status === 200 ? 422 : status)
  })

  test('with the wrong method for a command is rejected', async () => {
    for (const path of ['upsert', 'delete-namespace/a']) {
      const stub = indexStub(env.VECTOR_INDEX, name)
      expect((await stub.fetch(new Request(`https://index.test/${path}`))).status).toBe(405)
    }
  })
})
