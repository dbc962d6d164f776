/** Forwards an answer to its reader: aborts it if it stalls, and ends a broken event stream with an error event. */
import { utf8 } from '../core/lib/sha256.ts'
import { mediaTypeOf } from './media-type.ts'
import { errorKind, isRagGateError, RagGateError } from '../errors.ts'
import { type SilenceLimits, silenceLimit } from './silence-limit.ts'

/** A forwarded answer. */
export interface AnswerStream {
  readonly response: Response
  /** Id in the error event and in the log. */
  readonly requestId: string
  /** Resolves with the error if it broke off, with `undefined` at its end, or ten seconds after its reader left. It never rejects. */
  readonly ended: Promise<RagGateError | undefined>
  /**
   * A copy of the source's bytes, from the beginning if called at once; while one is open, the source is read to its end.
   */
  readonly copy: () => ReadableStream<Uint8Array>
}

/** How far the source is read ahead of the reader, bytes: the size of the largest stored answer. */
const READ_AHEAD_BYTES = 262_144

/** How many times as far for each open copy, whose readers may be faster. */
const AHEAD_FOR_COPIES = 15

/**
 * Forwards an answer as it arrives, an event stream event by event. If the source breaks off or stalls, the forwarded body
 * breaks off too, after everything received was read. An event stream instead ends with an error event, which replaces an
 * incomplete last event.
 *
 * @param response a response with a body
 * @param limits for event streams; for others, each piece may take as long as the first
 */
export function answerStream(
  response: Response,
  { streamStartTimeoutMs: startMs, streamIdleTimeoutMs: idleMs }: SilenceLimits,
): AnswerStream {
  const isEvents = mediaTypeOf(response.headers.get('content-type')) === 'events'
  const reader = response.body!.getReader()
  const inTime = silenceLimit(startMs, isEvents ? idleMs : startMs)
  const endOfEvents = eventEnds()
  const requestId = crypto.randomUUID()
  const copies = new Set<ReadableStreamDefaultController<Uint8Array>>()
  let endByMs: number | undefined
  let readOn = (): void => undefined
  let end!: (failure?: RagGateError) => void
  const ended = new Promise<RagGateError | undefined>((resolve) => (end = resolve))

  async function pass(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let beginning = ''
    /** Bytes of an incomplete event. */
    const held: Uint8Array[] = []
    /** Whether this many more bytes would exceed the read-ahead limit. */
    const isFull = (bytes: number): boolean => !endByMs && controller.desiredSize! < bytes
    const pulled = (): Promise<void> => new Promise((resolve) => (readOn = resolve))
    const send = (pieces: readonly Uint8Array[]): void => {
      for (const piece of pieces) if (!endByMs && piece.length > 0) controller.enqueue(piece)
    }
    try {
      for (;;) {
        // Readers of copies do not wait for a slow reader of the response, unless it is far behind.
        while (isFull(copies.size * -AHEAD_FOR_COPIES * READ_AHEAD_BYTES)) await pulled()
        const { done, value } = await inTime(reader.read())
        if (done) break
        // Once its reader has left, a Worker may soon be stopped.
        if (performance.now() > endByMs!) end()
        for (const copy of copies) copy.enqueue(value)
        if (beginning.length < BEGINNING) beginning += decoder.decode(value)
        // An event that does not end is passed on in parts.
        const isHeld = isEvents && held.length * value.length < READ_AHEAD_BYTES
        const at = isHeld ? endOfEvents(value) : value.length
        if (at !== undefined) send([...held.splice(0), value.subarray(0, at)])
        held.push(value.subarray(at))
      }
      for (const copy of copies) copy.close()
      end()
      send(held)
    } catch (thrown) {
      const failure = failureOf(thrown)
      for (const copy of copies) copy.error(failure)
      reader.cancel(failure).catch(() => undefined)
      end(failure)
      if (!isEvents) {
        // Wait first, because an error would discard unread data.
        while (isFull(READ_AHEAD_BYTES)) await pulled()
        return controller.error(failure)
      }
      send([utf8(errorEvent(failure, requestId, beginning))])
    }
    if (!endByMs) controller.close()
  }

  /** Cancels the source when it has no reader left. */
  const leave = (reason: unknown): Promise<void> | undefined => {
    if (copies.size || !endByMs) return undefined
    end()
    return reader.cancel(reason)
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void pass(controller),
      pull: () => readOn(),
      cancel(reason) {
        endByMs = performance.now() + 10_000
        readOn()
        return leave(reason)
      },
    },
    { highWaterMark: READ_AHEAD_BYTES, size: (piece) => piece.length },
  )
  const sent = new Response(body, response)
  // The body may become longer than announced.
  if (isEvents) sent.headers.delete('content-length')
  return {
    response: sent,
    requestId,
    ended,
    copy() {
      let own: ReadableStreamDefaultController<Uint8Array>
      return new ReadableStream({
        start: (controller) => void copies.add((own = controller)),
        cancel(reason) {
          copies.delete(own)
          return leave(reason)
        },
      })
    },
  }
}

/** Least length of the beginning from which a stream's format is detected. */
const BEGINNING = 4096

/** A chat completion chunk, complete or truncated. */
const COMPLETION = /^data: ?\{.*"(?:choices"|object": ?"chat\.completion)/m

/**
 * The error event of a stream: `data: {"error": …}` in chat completions, whose readers ignore names; else one named `error`.
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

/** Converts an error; those of this package keep their code. */
function failureOf(thrown: unknown): RagGateError {
  if (isRagGateError(thrown)) return thrown
  // The error of `AbortSignal.timeout`.
  const isLate = errorKind(thrown) === 'TimeoutError'
  return new RagGateError(isLate ? 'llm_timeout' : 'llm_unavailable', 'The answer broke off', { cause: thrown })
}

const LF = 10
const CR = 13

/**
 * Finds the ends of events in a stream, piece by piece: after a blank line, with `\n`, `\r\n` or `\r`.
 *
 * @returns a function that returns for each piece the offset after which the last event ends; `undefined` if none does
 */
function eventEnds(): (piece: Uint8Array) => number | undefined {
  let isLineEmpty = true
  let before: number | undefined
  return (piece) => {
    let end: number | undefined
    piece.forEach((byte, at) => {
      const isLineEnd = byte === LF || byte === CR
      // The second half of `\r\n` is not another line end.
      const isSecondHalf = byte === LF && before === CR
      if (isLineEnd && (isSecondHalf ? end === at : isLineEmpty)) end = at + 1
      isLineEmpty = isLineEnd
      before = byte
    })
    return end
  }
}
