/** What a way of setting thresholds did, over draws. */
export interface Outcome {
  readonly method: string
  readonly family: string
  readonly n: number
  /** Draws in which a threshold could be set. */
  readonly made: number
  readonly draws: number
  /** Means over these. */
  readonly falseAcceptance: number
  readonly coverage: number
  /** Draws in which false acceptance was above the stated one. */
  readonly exceeded: number
}
