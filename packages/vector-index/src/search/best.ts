/** A row and its score. */
export interface ScoredRow {
  /** Key of the row in storage; ascends in insertion order. */
  readonly position: number
  readonly score: number
}

/** Whether the row at a position may be found; called before it is scored. */
export type RowFilter = (position: number) => boolean

/**
 * Keeps the best rows of those offered, sorted, without sorting all. With equal scores the lower position is better.
 * `NaN` scores are dropped.
 */
export class BoundedTop {
  readonly #capacity: number
  /** Best first. */
  readonly #rows: ScoredRow[] = []

  /** @param capacity number of rows to keep, 0 and up */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Score that a further row must exceed; −∞ until the capacity is reached. */
  get least(): number {
    return this.#rows.length < this.#capacity ? -Infinity : (this.#rows.at(-1)?.score ?? Infinity)
  }

  /** @returns whether it is one of the best */
  offer(position: number, score: number): boolean {
    if (!(score >= this.least)) return false
    // Binary search for the insertion position.
    let [from, to] = [0, this.#rows.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const row = this.#rows[middle]!
      if (row.score > score || (row.score === score && row.position < position)) from = middle + 1
      else to = middle
    }
    if (from === this.#capacity) return false
    this.#rows.splice(from, 0, { position, score })
    if (this.#rows.length > this.#capacity) this.#rows.pop()
    return true
  }

  /** The kept rows, best first. */
  sorted(): readonly ScoredRow[] {
    return this.#rows
  }
}

/** Makes scores non-increasing: if rounding to float32 orders two rows differently, they get equal scores. */
export function falling(ranked: readonly ScoredRow[], scoreOf: (position: number) => number): readonly ScoredRow[] {
  let least = Infinity
  return ranked.map(({ position }) => {
    least = Math.min(least, scoreOf(position))
    return { position, score: least }
  })
}
