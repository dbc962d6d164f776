/** The end of a stream of server-sent events: one that breaks off ends with an event that says so. */
import { isRagGateError, RagGateError } from '../errors.ts'

/** A stream, and the moment from which nothing more comes of it. */
export interface EndingStream {
  readonly response: Response
  /** Settled with what it broke off by; with `undefined` at its end, and when its reader leaves. It never rejects. */
  readonly ended: Promise<RagGateError | undefined>
}

/**
 * Passes a stream on, event by event as it comes. Where it breaks off, the event that it broke off in is left out, since
 * it could not be read; an event that tells of the error takes its place, and the stream ends.
 *
 * @param response one with a body
 * @param requestId stands in the event, as it does in every error
 */
export function withStreamEnd(response: Response, requestId: string): EndingStream {
  let end = (_failure?: RagGateError): void => undefined
  const ended = new Promise<RagGateError | undefined>((resolve) => {
    end = resolve
  })
  const reader = response.body!.getReader()
  const endOfEvents = eventEnds()
  const decoder = new TextDecoder()
  let beginning = ''
  /** What came of an event that is not whole yet. */
  let held: Uint8Array[] = []
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (pieces: readonly Uint8Array[]): void => {
        for (const piece of pieces) if (piece.length > 0) controller.enqueue(piece)
      }
      try {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) break
          if (beginning.length < BEGINNING) beginning += decoder.decode(value.subarray(0, BEGINNING), { stream: true })
          const at = endOfEvents(value)
          if (at === undefined) held.push(value)
          else {
            send([...held, value.subarray(0, at)])
            held = [value.subarray(at)]
            return
          }
        }
        send(held)
        end()
      } catch (thrown) {
        const failure = failureOf(thrown)
        send([new TextEncoder().encode(errorEvent(failure, requestId, beginning))])
        end(failure)
      }
      controller.close()
    },
    async cancel(reason) {
      end()
      await reader.cancel(reason)
    },
  })
  const ending = new Response(body, response)
  // It may get longer than it was to be.
  ending.headers.delete('content-length')
  return { response: ending, ended }
}

/** Characters of a stream that its form is read from. */
const BEGINNING = 4096

/** A chunk of a chat completion, whole or cut. */
const COMPLETION = /^data: ?\{[^\n]*"(?:choices"|object": ?"chat\.completion)/m

/**
 * An error as the stream tells of it: among chunks of chat completions, whose readers know no names of events, as
 * `data: {"error": …}`; elsewhere as an event of the name `error`.
 *
 * @see https://platform.openai.com/docs/guides/error-codes
 * @see https://docs.anthropic.com/en/docs/build-with-claude/streaming#error-events
 */
function errorEvent({ code, message }: RagGateError, requestId: string, beginning: string): string {
  const failure = { code, message, request_id: requestId }
  return COMPLETION.test(beginning)
    ? `data: ${JSON.stringify({ error: { ...failure, type: 'server_error', param: null } })}\n\n`
    : `event: error\ndata: ${JSON.stringify({ type: 'error', error: { ...failure, type: 'api_error' } })}\n\n`
}

/** An error of this package keeps its code. */
function failureOf(thrown: unknown): RagGateError {
  if (isRagGateError(thrown)) return thrown
  // As `AbortSignal.timeout` has it.
  const isLate = thrown instanceof Error && thrown.name === 'TimeoutError'
  return new RagGateError(isLate ? 'llm_timeout' : 'llm_unavailable', 'The answer broke off before its end', {
    cause: thrown,
  })
}

const LF = 10
const CR = 13

/**
 * Reads a stream piece by piece for where its events end: behind a blank line, of `\n`, `\r\n` or `\r`.
 *
 * @returns for each piece, behind which of its bytes the last event ends; `undefined` where none does
 */
function eventEnds(): (piece: Uint8Array) => number | undefined {
  let isLineEmpty = true
  let before: number | undefined
  return (piece) => {
    let end: number | undefined
    piece.forEach((byte, at) => {
      const isLineEnd = byte === LF || byte === CR
      // The second half of `\r\n` ends no line of its own, but belongs to what its first half ended.
      const isSecondHalf = byte === LF && before === CR
      if (isLineEnd && (isSecondHalf ? end === at : isLineEmpty)) end = at + 1
      isLineEmpty = isLineEnd
      before = byte
    })
    return end
  }
}
