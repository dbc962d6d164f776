/** A row and its score. */
export interface ScoredRow {
  /** Key of the row in storage; rises in insertion order. */
  readonly position: number
  readonly score: number
}

/** Tells whether the row at a position may be found at all; asked before it is scored. */
export type RowFilter = (position: number) => boolean

/**
 * Keeps the best rows of those offered, in order: no full sort, for any number of rows. Of equal scores the row with the
 * lower position is better. A score that is not a number is never kept.
 */
export class BoundedTop {
  readonly #capacity: number
  /** Best first. */
  readonly #rows: ScoredRow[] = []

  /** @param capacity rows to keep; 0 keeps none */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Score that a further row must have to be kept; −∞ while there is room. */
  get least(): number {
    return this.#rows.length < this.#capacity ? -Infinity : (this.#rows.at(-1)?.score ?? Infinity)
  }

  offer(position: number, score: number): void {
    if (!(score >= this.least)) return
    // The place among those that are better, by halves.
    let [from, to] = [0, this.#rows.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const row = this.#rows[middle]!
      if (row.score > score || (row.score === score && row.position < position)) from = middle + 1
      else to = middle
    }
    if (from === this.#capacity) return
    this.#rows.splice(from, 0, { position, score })
    if (this.#rows.length > this.#capacity) this.#rows.pop()
  }

  /** What was kept, best first. */
  sorted(): readonly ScoredRow[] {
    return this.#rows
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
