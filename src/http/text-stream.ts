/**
 * A stream of texts, each produced on demand. If the reader cancels before the end, `texts` are ended.
 *
 * @param onLeave called then; its rejection is passed to the reader
 */
export function textStream(
  texts: Iterator<string, void> | AsyncIterator<string, void>,
  onLeave?: () => unknown,
): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next()
      if (done === true) controller.close()
      else controller.enqueue(utf8.encode(value))
    },
    async cancel() {
      // Not awaited: a generator ends only after the text that it is waiting for.
      Promise.resolve(texts.return?.()).catch(() => undefined)
      await onLeave?.()
    },
  })
}
