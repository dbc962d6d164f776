import { describe, expect, test } from 'vitest'
import { loadKernel } from '../../../scripts/load-kernel.ts'
import type { MakeKernel, ScanKernel } from '../../../src/vector-index/search/dense/kernel.ts'
import { ResidentNamespaces } from '../../../src/vector-index/store/resident-namespaces.ts'
import type { ResidentRow } from '../../../src/vector-index/store/resident-namespace.ts'
import { float32Row, quantise, type DenseRow } from '../../../src/vector-index/search/scan.ts'
import { VectorStore } from '../../../src/vector-index/store/store.ts'
import { NO_SPARSE } from '../../../src/vector-index/store/stored-vector.ts'
import { sqliteStorage } from '../sqlite-storage.ts'

const DIMENSION = 64
const makeKernel = loadKernel()

const vectorOf = (at: number) => Float32Array.from({ length: DIMENSION }, (_, place) => Math.sin(at + place * (at + 1)))

function rows(count: number, encode: (vector: Float32Array<ArrayBuffer>) => DenseRow): () => ResidentRow[] {
  return () =>
    Array.from({ length: count }, (_, at) => ({
      position: at,
      id: `r${at}`,
      dense: encode(vectorOf(at)),
      sparse: NO_SPARSE,
    }))
}

function never(): never {
  throw new Error('It is in memory')
}

/** The memory of every kernel made. */
function watched(): { memories: ScanKernel['memory'][]; makeKernel: MakeKernel } {
  const memories: ScanKernel['memory'][] = []
  return {
    memories,
    makeKernel() {
      const kernel = makeKernel()
      memories.push(kernel.memory)
      return kernel
    },
  }
}

describe.each([
  ['with the kernel', makeKernel],
  ['with its twin', undefined],
])('namespaces in memory, %s,', (_name, maker) => {
  const small = rows(100, quantise)

  test('stay within their bytes: the one searched longest ago goes first', () => {
    const resident = new ResidentNamespaces({ memoryBytes: 220_000, makeKernel: maker, dimension: DIMENSION })
    resident.toSearch('a', small)
    resident.toSearch('b', small)
    resident.toSearch('a', never)
    resident.toSearch('c', small)
    expect(resident.byteLength).toBeLessThan(220_000)
    expect(resident.get('b')).toBeUndefined()
    resident.toSearch('a', never)
    resident.toSearch('c', never)
  })

  test('answer after they were dropped and loaded again as before', () => {
    const resident = new ResidentNamespaces({ memoryBytes: 150_000, makeKernel: maker, dimension: DIMENSION })
    const before = resident.toSearch('a', small).searchDense(vectorOf(5), 3)
    resident.toSearch('b', rows(120, float32Row))
    expect(resident.get('a')).toBeUndefined()
    expect(resident.toSearch('a', small).searchDense(vectorOf(5), 3)).toEqual(before)
    expect(before[0]?.slot).toBe(5)
  })

  test('one that alone is too large is refused, and leaves no trace', () => {
    const resident = new ResidentNamespaces({ memoryBytes: 1_000_000, makeKernel: maker, dimension: DIMENSION })
    expect(() => resident.toSearch('big', rows(2000, quantise))).toThrow(
      expect.objectContaining({
        status: 507,
        message: 'Namespace "big" takes more than the 0.95 MiB of memory that there are to search it',
      }),
    )
    expect(resident.byteLength).toBe(0)
    resident.toSearch('a', small)
  })

  test('one that grew too large leaves memory, and the others stay', () => {
    const resident = new ResidentNamespaces({ memoryBytes: 200_000, makeKernel: maker, dimension: DIMENSION })
    const grown = resident.toSearch('a', small)
    for (const row of rows(300, quantise)()) grown.put(row)
    resident.grew('a')
    expect(resident.get('a')).toBeUndefined()
  })
})

describe('the kernel’s memory', () => {
  test('is used again by namespaces that come after others', () => {
    const { memories, makeKernel } = watched()
    const resident = new ResidentNamespaces({ memoryBytes: 6_000_000, makeKernel, dimension: DIMENSION })
    for (let at = 0; at < 30; at++) resident.toSearch(`n${at}`, rows(3000, quantise))
    expect(memories).toHaveLength(1)
    expect(memories[0]!.buffer.byteLength).toBeLessThan(6_000_000)
  })

  test('does not stay full of free blocks of another size', () => {
    const { memories, makeKernel } = watched()
    const resident = new ResidentNamespaces({ memoryBytes: 3_000_000, makeKernel, dimension: 1024 })
    const wide = (count: number, encode: (vector: Float32Array<ArrayBuffer>) => DenseRow) => () =>
      Array.from({ length: count }, (_, position) => {
        const dense = encode(new Float32Array(1024).fill(position + 1))
        return { position, id: `r${position}`, dense, sparse: NO_SPARSE }
      })
    resident.toSearch('float32', wide(500, float32Row))
    resident.toSearch('small', wide(32, quantise))
    resident.toSearch('int8', wide(1400, quantise))
    expect(memories).toHaveLength(2)
    expect(resident.byteLength).toBeLessThan(3_000_000)
  })
})

test('a write to a namespace that could never be searched is refused', () => {
  const store = new VectorStore(sqliteStorage(), { memoryBytes: 10_000, dimension: DIMENSION, makeKernel })
  const items = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `${from + at}`, dense: quantise(vectorOf(at)), sparse: NO_SPARSE }))
  store.upsert('n', items(0, 10))
  expect(() => store.upsert('n', items(10, 10))).toThrow(expect.objectContaining({ status: 507 }))
  expect(store.namespaces()).toContainEqual({ name: 'n', vectorCount: 10, pendingVectorCount: 0 })
  store.upsert('n', items(0, 10))
})
