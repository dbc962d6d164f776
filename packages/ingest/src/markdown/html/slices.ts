/** Streams a page in slices, yielding to the event loop between them. */

const LONGEST_SLICE = 16_384
/** Maximum number of characters per slice that can start a tag or split a text, which determine the reading time. */
const MOST_MARKS = 256
const LESS_THAN = 0x3c
const CLOSING_BRACKET = 0x5d

/**
 * The bytes of a page; each slice is provided after the previous one was read.
 *
 * @param isEnough whether the rest is not needed
 */
export function slicesOf(html: string, isEnough: () => boolean): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(html)
  let from = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (from > 0) await new Promise((resolve) => setTimeout(resolve, 0))
        const to = endOfSlice(bytes, from)
        controller.enqueue(bytes.subarray(from, to))
        from = to
        if (from === bytes.length || isEnough()) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

function endOfSlice(bytes: Uint8Array, from: number): number {
  const last = Math.min(bytes.length, from + LONGEST_SLICE)
  let marks = 0
  for (let at = from; at < last; at++) {
    if ((bytes[at] === LESS_THAN || bytes[at] === CLOSING_BRACKET) && ++marks > MOST_MARKS) return at
  }
  return last
}
