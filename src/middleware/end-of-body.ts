/** When a body is over that goes on after its response was sent. */

/** A response, and the moment from which nothing more comes of it. */
export interface EndingResponse {
  readonly response: Response
  /** Settled at the end of the body, when it breaks off, and when nobody reads on. It never rejects. */
  readonly ended: Promise<void>
}

/** Passes the body of a response on, chunk by chunk as it is read. A response without a body is at its end. */
export function withEnd(response: Response): EndingResponse {
  if (response.body === null) return { response, ended: Promise.resolve() }
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        controller.close()
      } catch (thrown) {
        controller.error(thrown)
      }
      end()
    },
    async cancel(reason) {
      end()
      await reader.cancel(reason)
    },
  })
  return { response: new Response(body, response), ended }
}
