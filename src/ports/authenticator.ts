import type { Tenant } from '../core/lib/ids.ts'

/** What a principal may do. */
export type Scope = 'ask' | 'ingest' | 'admin'

/** The caller. */
export interface Principal {
  readonly tenant: Tenant
  /** Stable within the tenant. Not a secret. */
  readonly id: string
  readonly scopes: readonly Scope[]
}

/**
 * Identifies the caller of a request.
 *
 * @returns the principal, or `null` when the request carries no relevant credentials
 * @throws `unauthorized` when it carries invalid credentials
 */
export type Authenticate = (request: Request) => Principal | null | Promise<Principal | null>
