/**
 * A stream of texts, each produced on demand.
 *
 * @param onLeave called when the reader cancels before the end; its rejection is passed to the reader
 */
export function textStream(
  texts: Iterator<string, void> | AsyncIterator<string, void>,
  onLeave: () => unknown = () => undefined,
): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next()
      if (done === true) controller.close()
      else controller.enqueue(utf8.encode(value))
    },
    cancel: async () => void (await onLeave()),
  })
}
