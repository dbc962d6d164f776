/** A body with several readers: each gets the pieces so far, and then every further one. */
import type { StoredAnswer } from '../../ports/answer-cache.ts'

/** Most bytes kept for later readers: the largest size of a stored answer. */
const MAX_KEPT_BYTES = 262_144

/** The body of one answer while it is being made. */
export class Broadcast {
  readonly answer: StoredAnswer
  readonly #readers = new Set<ReadableStreamDefaultController<Uint8Array>>()
  #pieces: Uint8Array[] = []
  #bytes = 0
  /** Whether a new reader still gets the whole body. */
  isOpen = true

  /** @param answer the answer without its body */
  constructor(answer: StoredAnswer) {
    this.answer = answer
  }

  /** Whether it is neither kept for later readers nor stored at its end. */
  get isTooLarge(): boolean {
    return this.#bytes > MAX_KEPT_BYTES
  }

  add(piece: Uint8Array): void {
    if (piece.byteLength === 0) return
    this.#bytes += piece.byteLength
    if (this.isTooLarge) this.#close()
    else this.#pieces.push(piece)
    for (const reader of this.#readers) reader.enqueue(piece)
  }

  /** @param failure error that ended the body early */
  end(failure?: { readonly cause: unknown }): void {
    this.#close()
    for (const reader of this.#readers) {
      if (failure === undefined) reader.close()
      else reader.error(failure.cause)
    }
    this.#readers.clear()
  }

  /** The body from its beginning. */
  read(): ReadableStream<Uint8Array> {
    let own: ReadableStreamDefaultController<Uint8Array>
    return new ReadableStream({
      start: (controller) => {
        for (const piece of this.#pieces) controller.enqueue(piece)
        this.#readers.add((own = controller))
      },
      cancel: () => void this.#readers.delete(own),
    })
  }

  #close(): void {
    this.isOpen = false
    this.#pieces = []
  }
}
