/** Waits for a piece of a body, or rejects. */
export type PieceRead = (
  piece: Promise<ReadableStreamReadResult<Uint8Array>>,
) => Promise<ReadableStreamReadResult<Uint8Array>>

/**
 * Reads a body whole, counting its bytes while they come: a length that was announced proves nothing. A reading that is
 * given up is cancelled, without waiting for it: a stream that hangs may never confirm it.
 *
 * @param stream `null` for an empty body
 * @param maxBytes 0 and up
 * @param race lets every wait end early, by rejecting
 * @returns `undefined` when there are more bytes than that
 * @throws the error that the stream or `race` rejects with
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
  let isWhole = false
  try {
    for (;;) {
      const { done, value } = await race(reader.read())
      if (done) break
      length += value.byteLength
      if (length > maxBytes) return undefined
      pieces.push(value)
    }
    isWhole = true
  } finally {
    if (!isWhole) reader.cancel().catch(() => undefined)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  return bytes
}
