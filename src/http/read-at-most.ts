/** A promised piece of a body. Named by its method, because not every runtime's types have a global name for it. */
type Piece = ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>

/** Waits for a piece of a body, or rejects early. */
export type PieceRead = (piece: Piece) => Piece

/**
 * Reads a whole body, counting bytes as they arrive, because an announced length may be wrong. If reading is aborted, the
 * stream is cancelled without waiting, since a hanging stream may never confirm.
 *
 * @param stream `null` for an empty body
 * @param maxBytes limit, 0 and up
 * @param race can end each wait early, by rejecting
 * @returns `undefined` if there are more than `maxBytes`
 * @throws the error of the stream or of `race`
 */
export async function readAtMost(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  race: PieceRead = (piece) => piece,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (stream === null) return new Uint8Array()
  const reader = stream.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await race(reader.read())
      if (done) break
      length += value.length
      if (length > maxBytes) return undefined
      pieces.push(value)
    }
  } finally {
    // Does nothing at the end of a stream.
    reader.cancel().catch(() => undefined)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
