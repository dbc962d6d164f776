/** A body that is read along by many: each gets what there is of it, and then every piece that comes. */
import type { StoredAnswer } from '../../ports/answer-cache.ts'

/** Bytes that are kept for those who come later, as many as a stored answer has at most. */
const MAX_KEPT_BYTES = 262_144

/** The body of one answer while it is being made. */
export class Broadcast {
  readonly answer: StoredAnswer
  readonly #readers = new Set<ReadableByteStreamController>()
  #pieces: Uint8Array[] = []
  #bytes = 0
  #state: 'open' | 'too long' | 'ended' = 'open'

  /** @param answer all but the body */
  constructor(answer: StoredAnswer) {
    this.answer = answer
  }

  /** Whether who comes now still gets all of it. */
  get isOpen(): boolean {
    return this.#state === 'open'
  }

  add(piece: Uint8Array): void {
    if (piece.byteLength === 0) return
    this.#bytes += piece.byteLength
    if (this.#bytes <= MAX_KEPT_BYTES) this.#pieces.push(piece)
    else this.#close('too long')
    // Copies: a byte stream takes its buffers over.
    for (const reader of this.#readers) reader.enqueue(piece.slice())
  }

  /** @param failure what the body broke off by */
  end(failure?: { readonly cause: unknown }): void {
    this.#close('ended')
    for (const reader of this.#readers) {
      if (failure === undefined) reader.close()
      else reader.error(failure.cause)
    }
    this.#readers.clear()
  }

  /** The body from its beginning. Bytes, because streams of anything else do not pass from one Worker's object to another. */
  read(): ReadableStream<Uint8Array> {
    let own: ReadableByteStreamController
    return new ReadableStream({
      type: 'bytes',
      start: (controller) => {
        own = controller
        for (const piece of this.#pieces) controller.enqueue(piece.slice())
        this.#readers.add(controller)
      },
      cancel: () => void this.#readers.delete(own),
    })
  }

  #close(state: 'too long' | 'ended'): void {
    this.#state = state
    this.#pieces = []
  }
}
