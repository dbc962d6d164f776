/** Input and output of views. */
import type { Parameters } from './api.ts'
import type { Period } from './address.ts'
import type { Child } from './dom.ts'

export interface ViewRequest {
  /** The view's own parameters in the URL. */
  readonly query: Readonly<Record<string, string>>
  readonly id: string | undefined
  readonly period: Period
  /** The tenant for the API; empty for the key's own, `*` for all. */
  readonly tenant: string
  /** The selection: tenant, collection, policy. */
  readonly chosen: Parameters
  /** Aborts the view's requests when another view is shown. */
  readonly signal: AbortSignal
  /** Ends the view's background work when it is left. */
  readonly left: AbortSignal
}

/** Returns the parts of a view, below its heading. */
export type View = (request: ViewRequest) => Promise<readonly Child[]>
