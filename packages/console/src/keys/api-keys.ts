import type { Tenant } from 'hono-rag-gate/core/lib'
import type { Principal, Scope } from 'hono-rag-gate/ports'

/** A key without its secret. */
export interface ApiKey {
  readonly id: string
  readonly tenant: Tenant
  /** A description for people. */
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Unix time in milliseconds. */
  readonly createdAtMs: number
  /** Expiry time; `null` for none. */
  readonly expiresAtMs: number | null
  /** Time of revocation; `null` if it is not revoked. */
  readonly revokedAtMs: number | null
}

/** A new key. */
export interface MadeApiKey extends ApiKey {
  /** The token that its holder sends. Only available now, because only a hash is stored. */
  readonly token: string
}

/** Stores the keys of tenants. */
export interface ApiKeys {
  /** @returns the principal of a token; `null` if it is unknown, expired or revoked */
  principalOf(token: string): Promise<Principal | null>
  make(key: Pick<ApiKey, 'tenant' | 'name' | 'scopes' | 'expiresAtMs'>): Promise<MadeApiKey>
  /** Keys of a tenant, oldest first, including expired and revoked ones. */
  list(tenant: Tenant): Promise<readonly ApiKey[]>
  /** Revokes a key. @returns `false` if the tenant has no such key, or it was revoked before */
  revoke(tenant: Tenant, id: string): Promise<boolean>
}
