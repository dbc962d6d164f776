/** An answer on its way to its reader: given up where it falls silent; a stream of events that breaks off is ended by an event. */
import { utf8 } from '../core/lib/sha256.ts'
import { mediaTypeOf } from './media-type.ts'
import { isRagGateError, RagGateError } from '../errors.ts'
import { type SilenceLimits, silenceLimit } from './silence-limit.ts'

/** An answer that is sent, and the moment from which nothing more comes of it. */
export interface AnswerStream {
  readonly response: Response
  /** Stands in the event that tells of an error, and in the log. */
  readonly requestId: string
  /** Settled with what it broke off by; with `undefined` at its end, and when its reader leaves. It never rejects. */
  readonly ended: Promise<RagGateError | undefined>
  /**
   * The bytes of its source, from the beginning where it is called at once; fails where they break off. While one is open,
   * they are read to their end, also when the reader of the response leaves.
   */
  readonly copy: () => ReadableStream<Uint8Array>
}

/** How far an answer is read ahead of its reader, bytes: as many as are stored of an answer. */
const READ_AHEAD_BYTES = 262_144

/**
 * Passes an answer on as it comes, a stream of events event by event. Where it breaks off, or nothing comes of it for too
 * long, what is sent breaks off too, once what had come is read. A stream of events ends instead: the event that it broke off
 * in is left out, since it could not be read, and one that tells of the error takes its place.
 *
 * @param response one with a body
 * @param limits of a stream of events; each piece of anything else may take as long as the first
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
  let hasLeft = false
  let readOn = (): void => undefined
  let end!: (failure?: RagGateError) => void
  const ended = new Promise<RagGateError | undefined>((resolve) => (end = resolve))

  async function pass(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let beginning = ''
    /** What came of an event that is not whole yet. */
    const held: Uint8Array[] = []
    /** Whether so many bytes more may not be read ahead yet. */
    const isFull = (bytes: number): boolean => !hasLeft && controller.desiredSize! < bytes
    const pulled = (): Promise<void> => new Promise((resolve) => (readOn = resolve))
    const send = (pieces: readonly Uint8Array[]): void => {
      for (const piece of pieces) if (piece.length > 0 && !hasLeft) controller.enqueue(piece)
    }
    try {
      for (;;) {
        while (isFull(1)) await pulled()
        const { done, value } = await inTime(reader.read())
        if (done) break
        for (const copy of copies) copy.enqueue(value)
        if (beginning.length < BEGINNING) beginning += decoder.decode(value.subarray(0, BEGINNING), { stream: true })
        const at = isEvents ? endOfEvents(value) : value.length
        if (at !== undefined) send([...held.splice(0), value.subarray(0, at)])
        held.push(value.subarray(at))
      }
      for (const copy of copies) copy.close()
      send(held)
      end()
    } catch (thrown) {
      const failure = failureOf(thrown)
      for (const copy of copies) copy.error(failure)
      reader.cancel(failure).catch(() => undefined)
      end(failure)
      if (!isEvents) {
        // An error takes away what was not read yet.
        while (isFull(READ_AHEAD_BYTES)) await pulled()
        return controller.error(failure)
      }
      send([utf8(errorEvent(failure, requestId, beginning))])
    }
    if (!hasLeft) controller.close()
  }

  /** What no one reads any more is cancelled. */
  const leave = async (reason: unknown): Promise<void> => {
    if (hasLeft && copies.size === 0) await reader.cancel(reason)
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void pass(controller),
      pull: () => readOn(),
      cancel(reason) {
        hasLeft = true
        end()
        readOn()
        return leave(reason)
      },
    },
    { highWaterMark: READ_AHEAD_BYTES, size: (piece) => piece.length },
  )
  const sent = new Response(body, response)
  // It may get longer than it was to be.
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
  return new RagGateError(isLate ? 'llm_timeout' : 'llm_unavailable', 'The answer broke off', { cause: thrown })
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
