import { runInDurableObject, evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test } from 'vitest'
import { holderName, keyOf } from '../../packages/vector-index/src/objects/object-names.ts'
import type { ScanKernel } from '../../packages/vector-index/src/search/kernel.ts'

const Instance = WebAssembly.Instance
let scans = 0

/** What the kernel exports, with its scans counted. */
function counted(module: WebAssembly.Module): ScanKernel {
  // The interface describes what the file exports.
  const real = new Instance(module).exports as unknown as ScanKernel
  return {
    memory: real.memory,
    dots(...parameters) {
      scans++
      real.dots(...parameters)
    },
  }
}

afterEach(() => {
  WebAssembly.Instance = Instance
  scans = 0
})

const textsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `${at}`, data: `evidence ${at} edge` }))

async function send(stub: DurableObjectStub, path: string, body: unknown): Promise<unknown> {
  return (await stub.fetch(`https://index.test/${path}`, { method: 'POST', body: JSON.stringify(body) })).json()
}

test('the Durable Object uses the WebAssembly kernel for a scan', async () => {
  // The object runs in this isolate and makes its kernel when it is opened.
  WebAssembly.Instance = function (module: WebAssembly.Module) {
    return { exports: counted(module) }
    // All that is used of an instance are its exports.
  } as unknown as typeof WebAssembly.Instance
  const stub = env.VECTOR_INDEX.getByName('scan-kernel')
  await send(stub, 'upsert-data', textsOf(300))
  const answer = await send(stub, 'query-data', { data: 'evidence 4', topK: 1, queryMode: 'DENSE' })
  expect(answer).toMatchObject({ result: [{ id: '4' }] })
  expect(scans).toBe(1)
})

test('blocks are built from written rows, and give the same results after an eviction', async () => {
  const stub = env.VECTOR_INDEX.getByName(holderName('blocks', keyOf('')))
  await send(stub, 'upsert-data', textsOf(700))
  const question = { data: 'evidence 4 5', topK: 20 }
  const before = await send(stub, 'query-data', question)
  const stored = await runInDurableObject(stub, (_object, { storage }) => {
    const { sql } = storage
    const counts = sql.exec('SELECT count(*) AS blocks FROM blocks').one()
    // What blocks hold is not read from rows again.
    sql.exec(`UPDATE vectors SET sparse = NULL`)
    return counts
  })
  expect(stored).toEqual({ blocks: 2 })
  await evictDurableObject(stub)
  expect(await send(stub, 'query-data', question)).toEqual(before)
})
