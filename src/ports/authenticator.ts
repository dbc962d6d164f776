import type { Tenant } from '../core/lib/ids.ts'

/** What a principal may do. */
export type Scope = 'ask' | 'ingest' | 'admin'

/** Who asks. */
export interface Principal {
  readonly tenant: Tenant
  /** Stable within the tenant. Not a secret. */
  readonly id: string
  readonly scopes: readonly Scope[]
}

/**
 * Finds out who asks.
 *
 * @returns the principal, or `null` when the request carries no credentials that count
 * @throws `unauthorized` when it carries credentials that are wrong
 */
export type Authenticate = (request: Request) => Principal | null | Promise<Principal | null>
