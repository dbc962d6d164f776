import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../../bench/seeded-random.ts'
import { loadKernel } from '../../../../scripts/load-kernel.ts'
import { KernelMemory } from '../../../../packages/vector-index/src/search/dense/kernel-memory.ts'
import { KernelRows } from '../../../../packages/vector-index/src/search/dense/kernel-rows.ts'
import type { ScanBlocks, ScanKernel } from '../../../../packages/vector-index/src/search/dense/kernel.ts'
import { PlainRows } from '../../../../packages/vector-index/src/search/dense/plain-rows.ts'
import type { Similarity } from '../../../../packages/vector-index/src/search/dense/similarity.ts'
import { float32Row, int8Row, quantise, type DenseRow } from '../../../../packages/vector-index/src/search/scan.ts'

const SIMILARITIES = ['COSINE', 'EUCLIDEAN', 'DOT_PRODUCT'] as const satisfies readonly Similarity[]

const makeKernel = loadKernel()

/** A kernel that counts how often it scans. */
function countingKernel(): { kernel: ScanKernel; scans: () => number } {
  const real = makeKernel()
  let scans = 0
  const counted =
    (scan: ScanBlocks): ScanBlocks =>
    (...parameters) => {
      scans++
      return scan(...parameters)
    }
  return {
    kernel: {
      ...real,
      scanInt8: counted(real.scanInt8),
      scanFloat32: counted(real.scanFloat32),
      scanFloat32Distance: counted(real.scanFloat32Distance),
    },
    scans: () => scans,
  }
}

/** Values that make ties, zeros and cancellations likely; with `extreme` also such as leave float32 when squared. */
const number = (extreme: boolean) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0, 0, 0, 1, -1, 0.5) },
    { weight: 3, arbitrary: fc.float({ min: -10, max: 10, noNaN: true }) },
    ...(extreme ? [{ weight: 1, arbitrary: fc.float({ noNaN: true, noDefaultInfinity: true }) }] : []),
  )

interface Step {
  readonly slot: number
  readonly encoding: DenseRow['encoding'] | 'none'
  readonly values: readonly number[]
}

const dimension = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(64, 127))

function scenario(extreme: boolean) {
  return dimension.chain((length) => {
    const vector = fc.array(number(extreme), { minLength: length, maxLength: length })
    const step: fc.Arbitrary<Step> = fc.record({
      slot: fc.nat({ max: 99 }),
      encoding: fc.constantFrom('int8', 'int8', 'float32', 'float32', 'none'),
      values: vector,
    })
    return fc.record({
      length: fc.constant(length),
      steps: fc.array(step, { maxLength: 150, size: 'max' }),
      question: vector,
      topK: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(200)),
      allowed: fc.option(fc.uint8Array({ maxLength: 110, max: 1 }), { nil: undefined }),
    })
  })
}

const rowOf = ({ encoding, values }: Step): DenseRow | undefined => {
  const vector = Float32Array.from(values)
  if (encoding === 'none') return undefined
  return encoding === 'int8' ? quantise(vector) : float32Row(vector)
}

describe.each(SIMILARITIES)('by %s the kernel finds what its twin finds, to the last bit', (similarity) => {
  test.each([
    ['ordinary', false],
    ['extreme', true],
  ])('in rows of %s numbers', (_name, extreme) => {
    fc.assert(
      fc.property(scenario(extreme), ({ length, steps, question, topK, allowed }) => {
        const rows = new KernelRows(new KernelMemory(makeKernel), length)
        const twin = new PlainRows()
        for (const step of steps) {
          const row = rowOf(step)
          for (const either of [rows, twin]) {
            if (row === undefined) either.remove(step.slot)
            else either.put(step.slot, row)
          }
        }
        const vector = Float32Array.from(question)
        const search = { similarity, matches: allowed && ((slot: number) => allowed[slot] === 1) }
        const slots = Array.from({ length: 100 }, (_, slot) => slot)
        expect(slots.map((slot) => rows.rowAt(slot))).toEqual(slots.map((slot) => twin.rowAt(slot)))
        expect(rows.search(vector, topK, search)).toEqual(twin.search(vector, topK, search))
      }),
    )
  })

  test.each(['int8', 'float32'] as const)('among many rows of %s, most of them near', (encoding) => {
    const random = seededRandom(7)
    const { kernel, scans } = countingKernel()
    const rows = new KernelRows(new KernelMemory(() => kernel), 96)
    const twin = new PlainRows()
    const centre = Float32Array.from({ length: 96 }, () => random() - 0.5)
    for (let slot = 0; slot < 3000; slot++) {
      const vector = centre.map((value) => value + 0.01 * (random() - 0.5))
      const row = encoding === 'int8' ? quantise(vector) : float32Row(vector)
      rows.put(slot, row)
      twin.put(slot, row)
    }
    for (let at = 0; at < 20; at++) {
      const question = centre.map((value) => value + 0.1 * (random() - 0.5))
      expect(rows.search(question, 10, { similarity })).toEqual(twin.search(question, 10, { similarity }))
    }
    expect(scans()).toBe(20)
  })
})

test.each([
  ['float32', (values: number[], times: number) => float32Row(Float32Array.from(values, (value) => value * times))],
  [
    'int8',
    (values: number[], times: number) =>
      int8Row(
        Int8Array.from(values, (value) => value * times),
        0.5,
      ),
  ],
])('rows of %s that differ in length alone are equally near, though their keys are rounded apart', (_name, rowOf) => {
  const values = [3, -2, 1, 1, 0, 2, -3, 1, 2, 1, 0.7, 1]
  const rows = new KernelRows(new KernelMemory(makeKernel), values.length)
  const twin = new PlainRows()
  for (let slot = 0; slot < 40; slot++) {
    const row = rowOf(values.map(Math.round), slot + 1)
    rows.put(slot, row)
    twin.put(slot, row)
  }
  for (let topK = 1; topK < 20; topK++) {
    const question = Float32Array.from(values, (value, at) => value + topK / (7 + at))
    expect(rows.search(question, topK)).toEqual(twin.search(question, topK))
  }
})

describe('the kernel', () => {
  const unit = (at: number) => Float32Array.from({ length: 8 }, (_, dimension) => (dimension === at ? 1 : 0))

  test('answers ties in insertion order', () => {
    const { kernel, scans } = countingKernel()
    const rows = new KernelRows(new KernelMemory(() => kernel), 8)
    for (let slot = 99; slot >= 0; slot--) rows.put(slot, float32Row(unit(0)))
    expect(rows.search(unit(0), 3)).toEqual([0, 1, 2].map((slot) => ({ slot, score: 1 })))
    expect(scans()).toBe(1)
  })

  test('finds only rows that match', () => {
    const rows = new KernelRows(new KernelMemory(makeKernel), 8)
    for (let slot = 0; slot < 100; slot++) rows.put(slot, quantise(unit(slot % 8)))
    const matches = (slot: number) => slot >= 50 && slot < 90
    expect(rows.search(unit(3), 2, { matches }).map(({ slot }) => slot)).toEqual([51, 59])
  })

  test.each(SIMILARITIES)('sums up thousands of the largest products by %s without overflow', (similarity) => {
    const { kernel, scans } = countingKernel()
    const rows = new KernelRows(new KernelMemory(() => kernel), 5000)
    const twin = new PlainRows()
    for (let slot = 0; slot < 40; slot++) {
      const row = quantise(new Float32Array(5000).fill(slot - 20))
      rows.put(slot, row)
      twin.put(slot, row)
    }
    const question = new Float32Array(5000).fill(0.01)
    expect(rows.search(question, 3, { similarity })).toEqual(twin.search(question, 3, { similarity }))
    expect(scans()).toBe(1)
  })

  test('reads nothing of what was there before in a block that is used again', () => {
    const memory = new KernelMemory(makeKernel)
    const rows = new KernelRows(memory, 8)
    rows.put(100, float32Row(unit(2)))
    for (let slot = 0; slot < 63; slot++) rows.put(slot, float32Row(unit(1)))
    const bytes = memory.byteLength
    for (let slot = 0; slot < 63; slot++) rows.remove(slot)
    for (let slot = 101; slot < 140; slot++) rows.put(slot, float32Row(unit(2)))
    expect(memory.byteLength).toBe(bytes)
    expect(rows.search(unit(1), 1)).toEqual([{ slot: 100, score: 0.5 }])
  })

  test('takes no more blocks for rows of both encodings, however they are mixed', () => {
    const rows = new KernelRows(new KernelMemory(makeKernel), 384)
    for (let slot = 0; slot < 640; slot++) {
      rows.put(
        slot,
        slot % 2 === 0 ? quantise(new Float32Array(384).fill(1)) : float32Row(new Float32Array(384).fill(1)),
      )
    }
    expect(rows.byteLength / 320).toBeLessThan(5 * (384 + 21))
  })

  test('keeps rows of bytes in a little more than a byte for each dimension', () => {
    const rows = new KernelRows(new KernelMemory(makeKernel), 384)
    for (let slot = 0; slot < 3200; slot++) rows.put(slot, quantise(new Float32Array(384).fill(1)))
    expect(rows.byteLength / 3200).toBeLessThan(384 + 21)
    for (let slot = 0; slot < 3200; slot++) rows.remove(slot)
    expect(rows.byteLength).toBeLessThan(1000)
  })
})
