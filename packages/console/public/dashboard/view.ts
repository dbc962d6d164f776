/** What a view is given, and what it gives. */
import type { Parameters } from './api.ts'
import type { Period } from './address.ts'
import type { Child } from './dom.ts'

export interface ViewRequest {
  /** What the address adds for this view. */
  readonly query: Readonly<Record<string, string>>
  readonly id: string | undefined
  readonly period: Period
  /** The tenant that is meant, for the API; empty for a key's own, `*` for all. */
  readonly tenant: string
  /** Which decisions are meant: tenant, collection, policy. */
  readonly chosen: Parameters
  /** Ends the requests of the view when it is not wanted any more. */
  readonly signal: AbortSignal
  /** Ends what the view goes on doing, when it is left. */
  readonly left: AbortSignal
  /** Offers collections or policies in the toolbar. */
  readonly offer: (select: 'collection' | 'policy', names: readonly string[]) => void
}

/** The parts of a view, under its heading. */
export type View = (request: ViewRequest) => Promise<readonly Child[]>
