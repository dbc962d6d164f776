import { expect, test } from 'vitest'
import {
  blockRow,
  bytesOfRow,
  packed,
  ROUNDING,
  rowsOf,
  strideOf,
  summed,
  unpacked,
} from '../../../packages/vector-index/src/search/block.ts'
import { NO_DENSE, NO_SPARSE } from '../../../packages/vector-index/src/search/vectors.ts'

const sparse = (indices: number[], values: number[]) => ({
  indices: Int32Array.from(indices),
  values: Float32Array.from(values),
})

test.each([
  [0, 0],
  [1, 16],
  [16, 16],
  [17, 32],
])('a vector of %i dimensions has %i bytes', (dimension, bytes) => {
  expect(strideOf(dimension)).toBe(bytes)
})

test('a row has its direction in bytes, with its length and the error', () => {
  const row = blockRow(7, { dense: Float32Array.of(-254, 3, 0), sparse: NO_SPARSE })
  const length = Math.hypot(254, 3)
  expect([row.position, row.length, row.gain]).toEqual([7, length, 2 / length])
  // Steps of 2: 3 is 1.5 steps, rounded to 2.
  expect(Array.from(row.bytes)).toEqual([-127, 2, ...Array.from({ length: 14 }, () => 0)])
  expect(row.miss).toBeCloseTo(1 / length + ROUNDING, 12)
})

test('a row of zeros has no length, no step and no error', () => {
  const row = blockRow(1, { dense: new Float32Array(3), sparse: NO_SPARSE })
  expect(row).toMatchObject({ length: 0, gain: 0, miss: 0, bytes: new Int8Array(16) })
})

test('values of a repeated dimension are added, within float32', () => {
  const largest = Math.fround(3.4028234663852886e38)
  expect([...summed(sparse([5, -2, 5, 9, 9, 8, 8], [1, 2, 0.1, 3e38, 3e38, -3e38, -3e38]))]).toEqual([
    [5, Math.fround(1 + Math.fround(0.1))],
    [-2, 2],
    [9, largest],
    [8, -largest],
  ])
})

test('rows are the same once they were packed, and have the bytes that they add', () => {
  const rows = [
    blockRow(3, { dense: Float32Array.of(1, 2, 3), sparse: sparse([4], [0.5]) }),
    blockRow(8, { dense: Float32Array.of(0, 0, 0), sparse: sparse([], []) }),
    blockRow(9, { dense: Float32Array.of(-1, 0.25, 9), sparse: sparse([-1, 7], [2, 4]) }),
  ]
  const read = rowsOf(unpacked(packed(rows)))
  expect(read).toEqual(
    rows.map(({ gain, miss, ...row }) => ({ ...row, gain: Math.fround(gain), miss: Math.fround(miss) })),
  )
  rows.forEach((row, at) => {
    const added = packed(rows.slice(0, at + 1)).byteLength - packed(rows.slice(0, at)).byteLength
    expect(bytesOfRow(row)).toBe(added)
  })
  expect(rowsOf(unpacked(packed([])))).toEqual([])
})

test('rows without dense vectors have no bytes', () => {
  const [row] = rowsOf(unpacked(packed([blockRow(2, { dense: NO_DENSE, sparse: sparse([3], [1]) })])))
  expect([row!.bytes.length, Array.from(row!.indices), Array.from(row!.values)]).toEqual([0, [3], [1]])
})
