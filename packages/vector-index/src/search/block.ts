/** Blocks: rows in a compact binary form, as they are stored and searched. */
import { withinFloat32 } from './float32.ts'
import type { SparseVector, Vectors } from './vectors.ts'

/** Size from which a block is full, bytes; a row in storage may have 2 MB. */
export const BLOCK_BYTES = 512 * 1024

/** Bytes that the kernel reads at once; row lengths are padded to a multiple of it. */
const STEP = 16

/** Relative tolerance above the effect of rounding in float32 and in sums on a bound. */
export const ROUNDING = 1e-6

/** Rows of a block, in the order of their positions. */
export interface Block {
  readonly positions: Float64Array
  readonly lengths: Float64Array
  /** Value of one quantisation step of a row, divided by the row's length. */
  readonly gains: Float32Array
  /** Length of a row's quantisation error, divided by the row's length; rounded up. */
  readonly misses: Float32Array
  /** Start of each row's sparse entries, and the end of the last. */
  readonly starts: Uint32Array
  readonly indices: Int32Array
  readonly values: Float32Array
  /** Quantised dense vectors, consecutively. */
  readonly bytes: Int8Array
}

/** A block as seen by one query. */
export interface SearchedBlock extends Block {
  /** Positions of rows that have changed since the block was made. */
  readonly stale?: ReadonlySet<number>
}

/** One row of a block. */
export interface BlockRow {
  readonly position: number
  readonly length: number
  readonly gain: number
  readonly miss: number
  readonly indices: Int32Array
  readonly values: Float32Array
  readonly bytes: Int8Array
}

/** Bytes of a row's dense part. */
export function strideOf(dimension: number): number {
  return Math.ceil(dimension / STEP) * STEP
}

/** Bytes of a row in a block. */
export function bytesOfRow({ bytes, indices }: BlockRow): number {
  return 28 + bytes.length + 8 * indices.length
}

/** Makes a row for a block, with its dense vector quantised to bytes. */
export function blockRow(position: number, { dense, sparse }: Vectors): BlockRow {
  const bytes = new Int8Array(strideOf(dense.length))
  let [squares, largest, missed] = [0, 0, 0]
  for (const value of dense) {
    squares += value * value
    largest = Math.max(largest, Math.abs(value))
  }
  const length = Math.sqrt(squares)
  const step = largest / 127
  if (largest > 0) {
    for (let at = 0; at < dense.length; at++) {
      bytes[at] = Math.round(dense[at]! / step)
      missed += (dense[at]! - bytes[at]! * step) ** 2
    }
  }
  const [gain, miss] = length === 0 ? [0, 0] : [step / length, Math.sqrt(missed) / length + ROUNDING]
  const entries = summed(sparse)
  const [indices, values] = [Int32Array.from(entries.keys()), Float32Array.from(entries.values())]
  return { position, length, gain, miss, indices, values, bytes }
}

/** Merges duplicate dimensions by adding their values. */
export function summed({ indices, values }: SparseVector): Map<number, number> {
  const sums = new Map<number, number>()
  for (let at = 0; at < indices.length; at++) {
    sums.set(indices[at]!, withinFloat32(Math.fround((sums.get(indices[at]!) ?? 0) + values[at]!)))
  }
  return sums
}

/** The rows of a block. */
export function rowsOf(block: Block): readonly BlockRow[] {
  const { positions, lengths, gains, misses, starts, indices, values, bytes } = block
  const stride = bytes.length / positions.length
  return Array.from(positions, (position, at) => ({
    position,
    length: lengths[at]!,
    gain: gains[at]!,
    miss: misses[at]!,
    indices: indices.subarray(starts[at], starts[at + 1]),
    values: values.subarray(starts[at], starts[at + 1]),
    bytes: bytes.subarray(at * stride, (at + 1) * stride),
  }))
}

/** Serialises rows as a block. */
export function packed(rows: readonly BlockRow[]): ArrayBuffer {
  const entries = rows.reduce((sum, { indices }) => sum + indices.length, 0)
  const stride = rows[0]?.bytes.length ?? 0
  const buffer = new ArrayBuffer(8 + 28 * rows.length + 4 + 8 * entries + stride * rows.length)
  new Uint32Array(buffer, 0, 2).set([rows.length, entries])
  const block = unpacked(buffer)
  let entry = 0
  rows.forEach((row, at) => {
    block.positions[at] = row.position
    block.lengths[at] = row.length
    block.gains[at] = row.gain
    block.misses[at] = row.miss
    block.indices.set(row.indices, entry)
    block.values.set(row.values, entry)
    block.bytes.set(row.bytes, at * stride)
    block.starts[at + 1] = entry += row.indices.length
  })
  return buffer
}

/** Parses what `packed` made, as views of the same memory. */
export function unpacked(buffer: ArrayBuffer): Block {
  const [rows = 0, entries = 0] = new Uint32Array(buffer, 0, 2)
  let from = 8
  // The widest types first, so that each is aligned.
  const take = <Numbers extends ArrayBufferView>(
    kind: new (buffer: ArrayBuffer, from: number, count: number) => Numbers,
    count: number,
  ): Numbers => {
    const array = new kind(buffer, from, count)
    from += array.byteLength
    return array
  }
  return {
    positions: take(Float64Array, rows),
    lengths: take(Float64Array, rows),
    gains: take(Float32Array, rows),
    misses: take(Float32Array, rows),
    starts: take(Uint32Array, rows + 1),
    indices: take(Int32Array, entries),
    values: take(Float32Array, entries),
    bytes: new Int8Array(buffer, from),
  }
}
