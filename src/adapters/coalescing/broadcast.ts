/** A body that is read along by many: each gets what there is of it, and then every piece that comes. */
import type { StoredAnswer } from '../../ports/answer-cache.ts'

/** Bytes that are kept for those who come later, as many as a stored answer has at most. */
const MAX_KEPT_BYTES = 262_144

/** The body of one answer while it is being made. */
export class Broadcast {
  readonly answer: StoredAnswer
  readonly #readers = new Set<ReadableStreamDefaultController<Uint8Array>>()
  #pieces: Uint8Array[] = []
  #bytes = 0
  /** Whether who comes now still gets all of it. */
  isOpen = true

  /** @param answer all but the body */
  constructor(answer: StoredAnswer) {
    this.answer = answer
  }

  add(piece: Uint8Array): void {
    if (piece.byteLength === 0) return
    this.#bytes += piece.byteLength
    if (this.#bytes <= MAX_KEPT_BYTES) this.#pieces.push(piece)
    else this.#close()
    for (const reader of this.#readers) reader.enqueue(piece)
  }

  /** @param failure what the body broke off by */
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
