/** What can be purged of the cached answers, and what of it an answer belongs to. */
import { lengthPrefixed } from '../lib/canonical.ts'
import type { Decision } from './decision.ts'

/** Answers that go together. */
export type PurgeScope =
  | { readonly kind: 'everything' }
  | { readonly kind: 'tenant'; readonly tenant: string }
  | { readonly kind: 'collection'; readonly tenant: string; readonly collection: string }
  /** Every answer with this document in its evidence. */
  | { readonly kind: 'document'; readonly tenant: string; readonly collection: string; readonly documentId: string }

/** The tenant whose answers a scope reaches; '' for those of all tenants. */
export function tenantOfScope(scope: PurgeScope): string {
  return scope.kind === 'everything' ? '' : scope.tenant
}

/** The canonical text of a scope: two scopes have the same only when they are the same. */
export function purgeScopeText(scope: PurgeScope): string {
  const { kind, tenant, collection, documentId }: Partial<Record<string, string>> = { ...scope }
  return lengthPrefixed([kind, tenant, collection, documentId].filter((part) => part !== undefined))
}

/** The scopes that an answer belongs to: purging any of them takes it away. */
export function scopesOfAnswer({
  tenant,
  collection,
  documentIds,
}: Pick<Decision, 'tenant' | 'collection' | 'documentIds'>): PurgeScope[] {
  return [
    { kind: 'everything' },
    { kind: 'tenant', tenant },
    { kind: 'collection', tenant, collection },
    ...documentIds.map((documentId) => ({ kind: 'document', tenant, collection, documentId }) as const),
  ]
}
