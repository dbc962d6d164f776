import { env } from 'cloudflare:workers'
import { afterEach, expect, test } from 'vitest'
import { KernelMemory } from '../../packages/vector-index/src/search/dense/kernel-memory.ts'
import { KernelRows } from '../../packages/vector-index/src/search/dense/kernel-rows.ts'
import type { ScanBlocks, ScanKernel } from '../../packages/vector-index/src/search/dense/kernel.ts'
import { PlainRows } from '../../packages/vector-index/src/search/dense/plain-rows.ts'
import scanKernel from '../../packages/vector-index/src/search/dense/scan.wasm'
import { float32Row, quantise } from '../../packages/vector-index/src/search/scan.ts'

const Instance = WebAssembly.Instance
let scans = 0

/** What the kernel exports, with its scans counted. */
function counted(module: WebAssembly.Module): ScanKernel {
  // The interface describes what the file exports.
  const real = new Instance(module).exports as unknown as ScanKernel
  const count =
    (scan: ScanBlocks): ScanBlocks =>
    (...parameters) => {
      scans++
      return scan(...parameters)
    }
  return { ...real, scanInt8: count(real.scanInt8), scanFloat32: count(real.scanFloat32) }
}

afterEach(() => {
  WebAssembly.Instance = Instance
  scans = 0
})

test('in workerd the kernel finds what its twin finds, to the last bit', () => {
  const wave = (at: number) => Float32Array.from({ length: 51 }, (_, place) => Math.sin(at * 12.9898 + place * 78.233))
  for (const encode of [quantise, float32Row]) {
    const rows = new KernelRows(new KernelMemory(() => counted(scanKernel)), 51)
    const twin = new PlainRows()
    for (let slot = 0; slot < 500; slot++) {
      rows.put(slot, encode(wave(slot)))
      twin.put(slot, encode(wave(slot)))
    }
    for (const similarity of ['COSINE', 'DOT_PRODUCT'] as const) {
      expect(rows.search(wave(1000), 7, { similarity })).toEqual(twin.search(wave(1000), 7, { similarity }))
    }
  }
  expect(scans).toBe(4)
})

test('in the Durable Object the kernel answers', async () => {
  // The object runs in this isolate and makes its kernel when it first loads a namespace.
  WebAssembly.Instance = function (module: WebAssembly.Module) {
    return { exports: counted(module) }
    // All that is used of an instance are its exports.
  } as unknown as typeof WebAssembly.Instance
  const stub = env.VECTOR_INDEX.getByName('scan-kernel')
  const send = async (path: string, body: unknown): Promise<unknown> =>
    (await stub.fetch(`https://index.test/${path}`, { method: 'POST', body: JSON.stringify(body) })).json()
  const texts = ['edge cache', 'weak evidence', 'strong evidence', 'no answer', 'a long answer', 'a gate']
  await send(
    'upsert-data',
    texts.map((data, at) => ({ id: `${at}`, data })),
  )
  const answer = await send('query-data', { data: 'weak evidence', topK: 2, queryMode: 'DENSE' })
  expect(answer).toMatchObject({ result: [{ id: '1' }, { id: '2' }] })
  expect(scans).toBe(1)
})
