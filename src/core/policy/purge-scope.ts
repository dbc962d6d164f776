/** Scopes of purges, and the scopes to which an answer belongs. */
import { lengthPrefixed } from '../lib/canonical.ts'
import { base32, sha256 } from '../lib/sha256.ts'
import { RagGateError } from '../../errors.ts'
import type { Decision } from './decision.ts'

/** A set of answers that can be purged together. */
export type PurgeScope =
  | { readonly kind: 'everything' }
  | { readonly kind: 'tenant'; readonly tenant: string }
  | { readonly kind: 'collection'; readonly tenant: string; readonly collection: string }
  /** Every answer with this document in its evidence. */
  | { readonly kind: 'document'; readonly tenant: string; readonly collection: string; readonly documentId: string }
  /** One answer, by the id of its decision. */
  | { readonly kind: 'answer'; readonly tenant: string; readonly decisionId: string }
  /** Every answer to this question, normalised like the gate's. */
  | { readonly kind: 'question'; readonly tenant: string; readonly collection: string; readonly question: string }

/** The tenant whose answers a scope affects; '' for all tenants. */
export function tenantOfScope(scope: PurgeScope): string {
  return scope.kind === 'everything' ? '' : scope.tenant
}

/** The canonical text of a scope: equal only for equal scopes. @throws `config_invalid` for another kind, which would purge nothing */
export function purgeScopeText(scope: PurgeScope): string {
  switch (scope.kind) {
    case 'everything':
      return lengthPrefixed([scope.kind])
    case 'tenant':
      return lengthPrefixed([scope.kind, scope.tenant])
    case 'collection':
      return lengthPrefixed([scope.kind, scope.tenant, scope.collection])
    case 'document':
      return lengthPrefixed([scope.kind, scope.tenant, scope.collection, scope.documentId])
    case 'answer':
      return lengthPrefixed([scope.kind, scope.tenant, scope.decisionId])
    case 'question':
      return lengthPrefixed([scope.kind, scope.tenant, scope.collection, digest(scope.question)])
    default:
      throw new RagGateError('config_invalid', 'A purge needs one of the kinds of PurgeScope', { param: 'kind' })
  }
}

const DIGEST_CHARACTERS = 32

/** Questions are hashed, so that a list of purges contains no question and is short. */
function digest(text: string): string {
  return base32(sha256(text), DIGEST_CHARACTERS)
}

/** The scopes of an answer, except that of its question: a purge of any of them removes it. */
export function scopesOfAnswer({
  id,
  tenant,
  collection,
  documentIds,
}: Pick<Decision, 'id' | 'tenant' | 'collection' | 'documentIds'>): PurgeScope[] {
  return [
    { kind: 'everything' },
    { kind: 'tenant', tenant },
    { kind: 'collection', tenant, collection },
    { kind: 'answer', tenant, decisionId: id },
    ...documentIds.map((documentId) => ({ kind: 'document', tenant, collection, documentId }) as const),
  ]
}
