/** What can be purged of the cached answers, and what of it an answer belongs to. */
import { lengthPrefixed } from '../lib/canonical.ts'
import type { Decision } from './decision.ts'

/** Answers that go together. */
export type PurgeScope =
  | { readonly kind: 'everything' }
  | { readonly kind: 'tenant'; readonly tenant: string }
  | { readonly kind: 'collection'; readonly tenant: string; readonly collection: string }
  /** The refusals of a collection: a document that answers them may have come. */
  | { readonly kind: 'refusals'; readonly tenant: string; readonly collection: string }
  /** Every answer with this document in its evidence. */
  | { readonly kind: 'document'; readonly tenant: string; readonly collection: string; readonly documentId: string }

/** The tenant whose answers a scope reaches; '' for those of all tenants. */
export function tenantOfScope(scope: PurgeScope): string {
  return scope.kind === 'everything' ? '' : scope.tenant
}

/** The canonical text of a scope: two scopes have the same only when they are the same. */
export function purgeScopeText(scope: PurgeScope): string {
  switch (scope.kind) {
    case 'everything':
      return lengthPrefixed([scope.kind])
    case 'tenant':
      return lengthPrefixed([scope.kind, scope.tenant])
    case 'collection':
    case 'refusals':
      return lengthPrefixed([scope.kind, scope.tenant, scope.collection])
    case 'document':
      return lengthPrefixed([scope.kind, scope.tenant, scope.collection, scope.documentId])
  }
}

/** The scopes that an answer belongs to: purging any of them takes it away. */
export function scopesOfAnswer({
  tenant,
  collection,
  verdict,
  documentIds,
}: Pick<Decision, 'tenant' | 'collection' | 'verdict' | 'documentIds'>): PurgeScope[] {
  return [
    { kind: 'everything' },
    { kind: 'tenant', tenant },
    { kind: 'collection', tenant, collection },
    ...(verdict === 'refuse' ? [{ kind: 'refusals', tenant, collection } as const] : []),
    ...documentIds.map((documentId) => ({ kind: 'document', tenant, collection, documentId }) as const),
  ]
}
