import { runDurableObjectAlarm, runInDurableObject, evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test } from 'vitest'
import { holderName, keyOf } from '../../packages/vector-index/src/objects/object-names.ts'
import { plainKernel, type ScanKernel } from '../../packages/vector-index/src/search/kernel.ts'
import scanKernel from '../../packages/vector-index/src/search/scan.wasm'

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

test('in workerd the kernel multiplies as its twin does', () => {
  const answers = [counted(scanKernel), plainKernel()].map((kernel) => {
    kernel.memory.grow(1)
    const bytes = new Int8Array(kernel.memory.buffer, 1024, 48 * 10)
    const asked = new Int16Array(kernel.memory.buffer, 64, 48)
    for (let at = 0; at < bytes.length; at++) bytes[at] = ((at * 7919) % 255) - 127
    for (let at = 0; at < 48; at++) asked[at] = ((at * 104_729) % 65_535) - 32_767
    kernel.dots(1024, 10, 48, 64, 2048)
    return Array.from(new Int32Array(kernel.memory.buffer, 2048, 10))
  })
  expect(answers[0]).toEqual(answers[1])
  expect(scans).toBe(1)
})

const textsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `${at}`, data: `evidence ${at} edge` }))

async function send(stub: DurableObjectStub, path: string, body: unknown): Promise<unknown> {
  return (await stub.fetch(`https://index.test/${path}`, { method: 'POST', body: JSON.stringify(body) })).json()
}

test('in the Durable Object the kernel answers', async () => {
  // The object runs in this isolate and makes its kernel when it first loads a namespace.
  WebAssembly.Instance = function (module: WebAssembly.Module) {
    return { exports: counted(module) }
    // All that is used of an instance are its exports.
  } as unknown as typeof WebAssembly.Instance
  const stub = env.VECTOR_INDEX.getByName('scan-kernel')
  await send(stub, 'upsert-data', textsOf(6))
  const answer = await send(stub, 'query-data', { data: 'evidence 4', topK: 1, queryMode: 'DENSE' })
  expect(answer).toMatchObject({ result: [{ id: '4' }] })
  expect(scans).toBe(1)
})

test('the alarm makes blocks of what was written, and after a rest the same is found from them', async () => {
  const stub = env.VECTOR_INDEX.getByName(holderName('blocks', keyOf('')))
  await send(stub, 'upsert-data', textsOf(700))
  const question = { data: 'evidence 4 5', topK: 20 }
  const before = await send(stub, 'query-data', question)
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  const stored = await runInDurableObject(stub, (_object, { storage }) => {
    const { sql } = storage
    const counts = sql.exec('SELECT count(*) AS chunks, sum(length(bytes)) AS bytes FROM blocks').one()
    // What blocks hold is not read from rows again.
    sql.exec(`UPDATE vectors SET sparse_indices = '', sparse_values = ''`)
    return counts
  })
  expect(stored).toEqual({ chunks: 1, bytes: expect.any(Number) })
  await evictDurableObject(stub)
  expect(await send(stub, 'query-data', question)).toEqual(before)
})
