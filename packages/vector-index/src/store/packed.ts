/** Several arrays of numbers in one piece: their lengths in bytes, and behind them each from a multiple of eight bytes on. */

const ALIGNMENT = 8

/** Little-endian, as every platform of Workers is. */
export function pack(arrays: readonly ArrayBufferView[]): Uint8Array<ArrayBuffer> {
  const places = placesOf(arrays.map(({ byteLength }) => byteLength))
  const packed = new Uint8Array(places.end)
  new Uint32Array(packed.buffer, 0, arrays.length).set(arrays.map(({ byteLength }) => byteLength))
  arrays.forEach(({ buffer, byteOffset, byteLength }, at) =>
    packed.set(new Uint8Array(buffer, byteOffset, byteLength), places.starts[at]),
  )
  return packed
}

/** The arrays of a piece, as bytes within it. */
export function unpack(packed: ArrayBuffer, count: number): readonly Uint8Array<ArrayBuffer>[] {
  const lengths = Array.from(new Uint32Array(packed, 0, count))
  return placesOf(lengths).starts.map((start, at) => new Uint8Array(packed, start, lengths[at]))
}

function placesOf(lengths: readonly number[]): { readonly starts: readonly number[]; readonly end: number } {
  let end = aligned(4 * lengths.length)
  const starts = lengths.map((length) => {
    const start = end
    end = aligned(end + length)
    return start
  })
  return { starts, end }
}

function aligned(place: number): number {
  return Math.ceil(place / ALIGNMENT) * ALIGNMENT
}
