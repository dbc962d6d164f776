/**
 * A stream of texts, each made when it is read for.
 *
 * @param onLeave called when the reader leaves before the end; what it rejects with is the reader's to hear
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
