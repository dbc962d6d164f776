/** What a check of `rag-gate doctor` found. */
export interface Finding {
  /** What was looked at, such as `migrations`. */
  readonly check: string
  /** A `warning` lets the gate work, and a `problem` does not. */
  readonly state: 'ok' | 'warning' | 'problem'
  readonly text: string
  /** What to do; absent where all is well. */
  readonly todo?: string
}

export function ok(check: string, text: string): Finding {
  return { check, state: 'ok', text }
}

export function warning(check: string, text: string, todo: string): Finding {
  return { check, state: 'warning', text, todo }
}

export function problem(check: string, text: string, todo: string): Finding {
  return { check, state: 'problem', text, todo }
}
