import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../bench/seeded-random.ts'
import { blockRow, packed, unpacked } from '../../../packages/vector-index/src/search/block.ts'
import { searchDense } from '../../../packages/vector-index/src/search/dense.ts'
import { NO_SPARSE } from '../../../packages/vector-index/src/search/vectors.ts'
import type { Similarity } from '../../../packages/vector-index/src/search/similarity.ts'
import { compileKernel } from '../../../scripts/build-kernel.ts'
import { KERNEL_FILE, loadKernel } from '../../../scripts/load-kernel.ts'
import { DEEP } from '../../deep-run.ts'
import { testRows } from './dense-rows.ts'
import { examples } from '../../properties.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const SIMILARITIES = ['COSINE', 'EUCLIDEAN', 'DOT_PRODUCT'] as const satisfies readonly Similarity[]

test.runIf(DEEP)('the compiled kernel is equal to its compiled source', () => {
  expect(compileKernel().equals(readFileSync(KERNEL_FILE))).toBe(true)
})

test.each([16, 48, 5376])('the kernel computes inner products of rows of %d bytes', (stride) => {
  const kernel = loadKernel()
  const [rows, question, out] = [2 ** 15, 64, 2 ** 15 + 33 * stride] as const
  kernel.memory.grow(20)
  const bytes = new Int8Array(kernel.memory.buffer, rows, 33 * stride)
  const asked = new Int16Array(kernel.memory.buffer, question, stride)
  // Of the largest numbers as many as stay within 32 bits.
  for (let at = 0; at < bytes.length; at++) bytes[at] = ((at * 7919) % 255) - 127
  for (let at = 0; at < stride; at++) asked[at] = (((at * 104_729) % 65_535) - 32_767) / (stride > 1000 ? 8 : 1)
  bytes.fill(127, 0, stride)
  kernel.dots(rows, 33, stride, question, out)
  const expected = Array.from({ length: 33 }, (_, row) =>
    asked.reduce((sum, value, at) => sum + value * bytes[row * stride + at]!, 0),
  )
  expect(Array.from(new Int32Array(kernel.memory.buffer, out, 33))).toEqual(expected)
  expect(new Set(expected).size).toBeGreaterThan(10)
})

/** Values that make ties, zeros and cancellations likely; with `extreme` also such as leave float32 when squared. */
const number = (extreme: boolean) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0, 0, 0, 1, -1, 0.5) },
    { weight: 3, arbitrary: fc.float({ min: -10, max: 10, noNaN: true }) },
    ...(extreme ? [{ weight: 1, arbitrary: fc.float({ noNaN: true, noDefaultInfinity: true }) }] : []),
  )

const dimension = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(64, 127))

function scenario(extreme: boolean) {
  return dimension.chain((length) => {
    const vector = fc.array(number(extreme), { minLength: length, maxLength: length })
    return fc.record({
      steps: fc.array(fc.record({ position: fc.nat({ max: 99 }), values: vector }), { maxLength: 150, size: 'max' }),
      question: vector,
      topK: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(200)),
      allowed: fc.option(fc.uint8Array({ maxLength: 110, max: 1 }), { nil: undefined }),
    })
  })
}

describe.each(SIMILARITIES)('search by %s over bytes gives the same results as over the vectors', (similarity) => {
  test.each([
    ['ordinary', false],
    ['extreme', true],
  ])('for %s numbers', (_name, extreme) => {
    fc.assert(
      fc.property(scenario(extreme), ({ steps, question, topK, allowed }) => {
        const { put, search, twin } = testRows()
        for (const { position, values } of steps) put(position, Float32Array.from(values))
        const asked = { similarity, matches: (position: number) => allowed === undefined || allowed[position] === 1 }
        const vector = Float32Array.from(question)
        expect(search(vector, topK, asked)).toEqual(twin(vector, topK, asked))
      }),
    )
  })

  test.runIf(similarity === 'COSINE')('holding no more rows than it gives, where all are equal', () => {
    const [count, length] = [10_000, 512]
    const vector = new Float32Array(length).fill(1)
    const row = blockRow(0, { dense: vector, sparse: NO_SPARSE })
    const block = unpacked(packed(Array.from({ length: count }, (_, position) => ({ ...row, position }))))
    let reads = 0
    const held: number[] = []
    const found = searchDense(vector, {
      similarity,
      topK: 3,
      blocks: [block],
      isFound: () => true,
      kernel: loadKernel(),
      read(positions) {
        if (reads++ % 4 === 0) {
          // Twice, because buffers are given back after a collection.
          collectGarbage()
          collectGarbage()
          held.push(process.memoryUsage().arrayBuffers)
        }
        return positions.map((position) => ({ position, dense: vector.slice() }))
      },
    })
    expect(found.map(({ position }) => position)).toEqual([0, 1, 2])
    expect(reads).toBeGreaterThan(20)
    expect(Math.max(...held) - held[0]!).toBeLessThan((count * length * 4) / 2)
  })

  test('for many rows, most of them near the question', () => {
    const random = seededRandom(7)
    const { put, search, twin } = testRows()
    const centre = Float32Array.from({ length: 96 }, () => random() - 0.5)
    for (let position = 0; position < 3000; position++) {
      put(
        position,
        centre.map((value) => value + 0.01 * (random() - 0.5)),
      )
    }
    for (let at = 0; at < 20; at++) {
      const question = centre.map((value) => value + 0.1 * (random() - 0.5))
      expect(search(question, 10, { similarity })).toEqual(twin(question, 10, { similarity }))
    }
  })

  test('for thousands of the largest products, without overflow', () => {
    const { put, search, twin } = testRows()
    for (let position = 0; position < 40; position++) put(position, new Float32Array(5000).fill(position - 20))
    const question = new Float32Array(5000).fill(0.01)
    expect(search(question, 3, { similarity })).toEqual(twin(question, 3, { similarity }))
  })

  test('for near-duplicates, in order and with falling scores', () => {
    const random = seededRandom(3)
    const { put, search } = testRows()
    const question = Float32Array.from({ length: 1536 }, () => (random() - 0.5) / 20)
    const exact = Array.from({ length: 400 }, (_, position) => {
      const row = question.map((value) => value * (1 + 1e-4 * (random() - 0.5)))
      put(position, row)
      const sum = (term: (at: number) => number) => row.reduce((total, _value, at) => total + term(at), 0)
      const product = sum((at) => row[at]! * question[at]!)
      const near = {
        COSINE: product / Math.sqrt(sum((at) => row[at]! ** 2)),
        DOT_PRODUCT: product,
        EUCLIDEAN: -sum((at) => (row[at]! - question[at]!) ** 2),
      }[similarity]
      return { position, near }
    })
    const found = search(question, 20, { similarity })
    const expected = exact.sort((a, b) => b.near - a.near).slice(0, 20)
    expect(found.map(({ position }) => position)).toEqual(expected.map(({ position }) => position))
    found.forEach(({ score }, at) => expect(score).toBeLessThanOrEqual(found[at - 1]?.score ?? 1))
  })

  test.each([1e20, 1e-25, 3e38, 1e-45])('for vectors with components of %f', (component) => {
    const { put, search, twin } = testRows()
    const rows = [
      [component, 0],
      [component, component],
      [0, component],
      [-component, 0],
    ]
    rows.forEach((row, position) => put(position, Float32Array.from(row)))
    const question = Float32Array.of(component, 0)
    expect(search(question, 4, { similarity })).toEqual(twin(question, 4, { similarity }))
  })
})

test.each(SIMILARITIES)('few vectors are read to be scored exactly by %s', (similarity) => {
  const random = seededRandom(9)
  const { put, search, read } = testRows()
  const spread = () => random() + random() + random() - 1.5
  for (let position = 0; position < 2000; position++) put(position, Float32Array.from({ length: 384 }, spread))
  for (let at = 0; at < 20; at++) search(Float32Array.from({ length: 384 }, spread), 10, { similarity })
  expect(read() / 20).toBeLessThan(16)
})

test('the most promising rows are read first, and none that has changed since', () => {
  const rows = [1, 9, 3, 9, 2, 8].map((value) => Float32Array.of(value, 1))
  const block = unpacked(packed(rows.map((dense, position) => blockRow(position, { dense, sparse: NO_SPARSE }))))
  const read: (readonly number[])[] = []
  const found = searchDense(Float32Array.of(1, 0), {
    similarity: 'DOT_PRODUCT',
    topK: 2,
    blocks: [{ ...block, stale: new Set([1]) }],
    isFound: (position) => position !== 5,
    kernel: loadKernel(),
    read(positions) {
      read.push(positions)
      return positions.map((position) => ({ position, dense: rows[position]! }))
    },
  })
  expect(found.map(({ position }) => position)).toEqual([3, 2])
  expect(read).toEqual([[3, 2]])
})

test('rows of equal similarity are read up to 256 at a time', () => {
  const block = unpacked(
    packed(
      Array.from({ length: 600 }, (_, position) =>
        blockRow(position, { dense: Float32Array.of(1, 1), sparse: NO_SPARSE }),
      ),
    ),
  )
  const read: number[] = []
  const search = (topK: number) =>
    searchDense(Float32Array.of(1, 2), {
      similarity: 'COSINE',
      topK,
      blocks: [block],
      isFound: () => true,
      kernel: loadKernel(),
      read(positions) {
        read.push(positions.length)
        return positions.map((position) => ({ position, dense: Float32Array.of(1, 1) }))
      },
    })
  expect(search(300)).toHaveLength(300)
  expect(read).toEqual([256, 44, 256, 44])
  read.length = 0
  expect(search(1).map(({ position }) => position)).toEqual([0])
  expect(read).toEqual([1, 256, 256, 87])
})

describe('dense scores', () => {
  const found = (question: number[], ...stored: number[][]) => {
    const { put, search } = testRows()
    stored.forEach((row, position) => put(position, Float32Array.from(row)))
    return search(Float32Array.from(question), 5)
  }
  const length = (v: number[]) => Math.hypot(...v) || 1

  test.each([
    ['the same direction', [1, 0], [2, 0], 1],
    ['a right angle', [1, 0], [0, 3], 0.5],
    ['opposite directions', [1, 0], [-1, 0], 0],
    ['a row of zeros', [1, 0], [0, 0], 0.5],
  ])('of %s are (1 + cosine) / 2', (_name, question, stored, score) => {
    expect(found(question, stored)).toEqual([{ position: 0, score }])
  })

  test.each<[Similarity, number[], number[], number]>([
    ['EUCLIDEAN', [1, 0], [0, 2], 1 / 6],
    ['EUCLIDEAN', [1, 2], [1, 2], 1],
    ['EUCLIDEAN', [3e38, 0], [-3e38, 0], 0],
    ['DOT_PRODUCT', [0.5, 1], [0.5, 0.25], 0.75],
    ['EUCLIDEAN', [0, 0], [0, 1], 0.5],
    ['DOT_PRODUCT', [0, 0], [1, 2], 0.5],
    ['DOT_PRODUCT', [2, 0], [3, 0], 1],
    ['DOT_PRODUCT', [2, 0], [-3, 0], 0],
    ['DOT_PRODUCT', [3e38, 3e38], [3e38, -3e38], 0.5],
    ['COSINE', [3e38, 0], [3e38, 3e38], (1 + Math.SQRT1_2) / 2],
    ['COSINE', [1e-20, 0], [1e-20, 1e-20], (1 + Math.SQRT1_2) / 2],
  ])('by %s of %j and %j is %d', (similarity, question, stored, score) => {
    const { put, search } = testRows()
    put(0, Float32Array.from(stored))
    expect(search(Float32Array.from(question), 1, { similarity })).toEqual([{ position: 0, score: Math.fround(score) }])
  })

  test.each<[Similarity, number[]]>([
    ['EUCLIDEAN', [1, 2, 0, 3]],
    ['DOT_PRODUCT', [3, 2, 1, 0]],
    ['COSINE', [2, 3, 1, 0]],
  ])('by %s order rows', (similarity, order) => {
    const { put, search } = testRows()
    const rows = [
      [0, -1],
      [1, 1],
      [2, 1],
      [3, 2.5],
    ]
    rows.forEach((row, position) => put(position, Float32Array.from(row)))
    expect(search(Float32Array.of(1, 0.5), 4, { similarity }).map(({ position }) => position)).toEqual(order)
  })

  test('are float32', () => {
    const [first] = found([0.3, 0.4], [0.1, 0.7])
    expect(first!.score).toBe(Math.fround(first!.score))
    expect(first!.score).toBeCloseTo((1 + 0.31 / (0.5 * Math.sqrt(0.5))) / 2, 6)
  })

  test('are those of float64 for vectors of every length that float32 can represent', () => {
    const direction = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 8, maxLength: 8 })
    const scale = fc.integer({ min: -140, max: 123 }).map((power) => 2 ** power)
    fc.assert(
      fc.property(direction, scale, direction, scale, (asked, askedScale, stored, storedScale) => {
        // Powers of two scale whole numbers without rounding them.
        const product = asked.reduce((sum, value, at) => sum + value * stored[at]!, 0)
        const cosine = product / (length(asked) * length(stored))
        const scores = found(
          asked.map((value) => value * askedScale),
          stored.map((value) => value * storedScale),
        )
        if (asked.every((value) => value === 0)) expect(scores).toEqual([])
        else expect(scores[0]?.score).toBeCloseTo((1 + cosine) / 2, 6)
      }),
      { numRuns: examples(1000) },
    )
  })

  test('a zero question vector finds nothing', () => {
    expect(found([0, 0], [1, 0], [0, 0])).toEqual([])
  })

  test('ties are returned in insertion order', () => {
    expect(found([1, 0], [1, 0], [1, 0], [1, 0]).map(({ position }) => position)).toEqual([0, 1, 2])
  })
})
