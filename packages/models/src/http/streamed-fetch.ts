/** An HTTP exchange with a streamed body: no redirects, a size limit, and the caller's deadline. */
import {
  type BoundedRequest,
  type Deadline,
  faultOf,
  type Fetch,
  readUnder,
  UpstreamFault,
} from '@hono-rag-gate/upstream/http'

/** Limits of an exchange. */
export interface StreamedFetchOptions {
  readonly fetch: Fetch
  /** Maximum size of the body after decompression, bytes. */
  readonly maxResponseBytes: number
  /** Applies until the caller stops it. */
  readonly deadline: Deadline
}

/** A response with its body read chunk by chunk; the body is empty unless the status is 200. */
export interface StreamedResponse {
  readonly status: number
  readonly headers: Headers
  /**
   * The next bytes; `undefined` at the end.
   *
   * @throws `UpstreamFault`; then the body is cancelled
   */
  readonly read: () => Promise<Uint8Array<ArrayBuffer> | undefined>
  readonly cancel: () => void
}

/**
 * Sends a request and waits for the first bytes of the body.
 *
 * @throws `UpstreamFault`
 */
export function streamedFetch(
  url: string,
  init: BoundedRequest,
  { fetch, maxResponseBytes, deadline }: StreamedFetchOptions,
): Promise<StreamedResponse> {
  return readUnder(deadline, fetch, url, init, async ({ status, headers, body }) => {
    const reader = body?.getReader()
    const cancel = (): void => void reader?.cancel().catch(() => undefined)
    let length = 0
    async function read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
      try {
        const piece = reader && (await deadline.race(reader.read())).value
        length += piece?.byteLength ?? 0
        if (length > maxResponseBytes) throw new UpstreamFault('too-large')
        return piece
      } catch (thrown) {
        cancel()
        throw faultOf(thrown, deadline)
      }
    }
    if (status !== 200) {
      cancel()
      return { status, headers, cancel, read: async () => undefined }
    }
    let first: Promise<Uint8Array<ArrayBuffer> | undefined> | undefined = Promise.resolve(await read())
    return {
      status,
      headers,
      cancel,
      read() {
        const next = first ?? read()
        first = undefined
        return next
      },
    }
  })
}
