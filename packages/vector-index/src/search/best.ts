/** A row and its score. */
export interface ScoredRow {
  /** Key of the row in storage; rises in insertion order. */
  readonly position: number
  readonly score: number
}

/** Tells whether the row at a position may be found at all; asked before it is scored. */
export type RowFilter = (position: number) => boolean

/**
 * Keeps the best rows of those offered, in a heap with the worst kept row on top: no full sort, for any number of
 * rows. Of equal scores the row with the lower position is better. A score that is not a number is never kept.
 */
export class BoundedTop {
  readonly #capacity: number
  readonly #heap: ScoredRow[] = []

  /** @param capacity rows to keep; 0 keeps none */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Score that a further row must have to be kept; −∞ while there is room. */
  get least(): number {
    return this.#heap.length < this.#capacity ? -Infinity : (this.#heap[0]?.score ?? Infinity)
  }

  offer(position: number, score: number): void {
    const heap = this.#heap
    if (Number.isNaN(score)) return
    if (heap.length < this.#capacity) {
      heap.push({ position, score })
      this.#rise(heap.length - 1)
    } else if (heap.length > 0 && isWorse(heap[0]!, { position, score })) {
      heap[0] = { position, score }
      this.#sink()
    }
  }

  /** What was kept, best first. */
  sorted(): ScoredRow[] {
    return [...this.#heap].sort((a, b) => b.score - a.score || a.position - b.position)
  }

  #rise(from: number): void {
    const heap = this.#heap
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isWorse(heap[at]!, heap[parent]!)) return
      ;[heap[at], heap[parent]] = [heap[parent]!, heap[at]!]
      at = parent
    }
  }

  #sink(): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let worst = at
      for (let child = 2 * at + 1; child <= 2 * at + 2 && child < heap.length; child++) {
        if (isWorse(heap[child]!, heap[worst]!)) worst = child
      }
      if (worst === at) return
      ;[heap[at], heap[worst]] = [heap[worst]!, heap[at]!]
      at = worst
    }
  }
}

/** Scores of rows that are in order: what float32 orders differently is as good as equal, so none is above one before it. */
export function falling(ranked: readonly ScoredRow[], scoreOf: (position: number) => number): readonly ScoredRow[] {
  let least = Infinity
  return ranked.map(({ position }) => {
    least = Math.min(least, scoreOf(position))
    return { position, score: least }
  })
}

function isWorse(a: ScoredRow, b: ScoredRow): boolean {
  return a.score < b.score || (a.score === b.score && a.position > b.position)
}
