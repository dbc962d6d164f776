/** Results of a method of setting thresholds, over draws. */
export interface Outcome {
  readonly method: string
  readonly family: string
  readonly n: number
  /** Draws in which a threshold could be set. */
  readonly made: number
  readonly draws: number
  /** Means over these draws. */
  readonly falseAcceptance: number
  readonly coverage: number
  /** Draws in which false acceptance exceeded the stated rate. */
  readonly exceeded: number
}
