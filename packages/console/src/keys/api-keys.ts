import type { Tenant } from 'hono-rag-gate/core/lib'
import type { Principal, Scope } from 'hono-rag-gate/ports'

/** A key as it may be shown: everything but its secret. */
export interface ApiKey {
  readonly id: string
  readonly tenant: Tenant
  /** For people: what it is used for. */
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Milliseconds since 1970. */
  readonly createdAtMs: number
  /** From then on it counts no more; `null` for never. */
  readonly expiresAtMs: number | null
  /** Since when it counts no more; `null` while it does. */
  readonly revokedAtMs: number | null
}

/** A key that was just made. */
export interface MadeApiKey extends ApiKey {
  /** What its holder sends. Known only now: what is kept is a hash. */
  readonly token: string
}

/** Keys of tenants. */
export interface ApiKeys {
  /** @returns whose token this is; `null` for an unknown, expired or revoked one */
  principalOf(token: string): Promise<Principal | null>
  make(key: Pick<ApiKey, 'tenant' | 'name' | 'scopes' | 'expiresAtMs'>): Promise<MadeApiKey>
  /** Keys of a tenant, oldest first, those that count no more too. */
  list(tenant: Tenant): Promise<readonly ApiKey[]>
  /** Makes a key count no more. @returns `false` when the tenant has no such key, or it was revoked before */
  revoke(tenant: Tenant, id: string): Promise<boolean>
}
