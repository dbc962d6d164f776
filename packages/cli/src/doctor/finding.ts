/** A finding of `rag-gate doctor`. */
export interface Finding {
  /** What was checked, such as `migrations`. */
  readonly check: string
  /** With a `warning` the gate works, with a `problem` it does not. */
  readonly state: 'ok' | 'warning' | 'problem'
  readonly text: string
  /** The remedy; absent if none is needed. */
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
