/** Chooses the namespace in which a collection is searched, and checks the tenant. */
import { RagGateError } from 'hono-rag-gate/errors'
import {
  type CollectionId,
  type OptionKinds,
  stringOrFunction,
  stringsOrAny,
  type Tenant,
} from 'hono-rag-gate/core/lib'

/** How an index separates collections. */
export interface NamespaceOptions {
  /**
   * The namespace to search: one for everything, or by tenant and collection. `''` is the index's default namespace.
   *
   * @default '' for an index that others filled; `namespaceOf` for one that the gate's ingestion fills
   */
  readonly namespace?: string | ((tenant: Tenant, collection: CollectionId) => string)
  /**
   * Tenants that may be answered from one namespace for everything, which does not separate tenants; `any` for all. Not
   * needed for a namespace by tenant.
   *
   * @default ['default'], the tenant of all callers without authentication
   */
  readonly tenants?: readonly Tenant[] | 'any'
}

/** Validation of the options. */
export const NAMESPACE_OPTIONS: OptionKinds<NamespaceOptions> = {
  namespace: stringOrFunction,
  tenants: stringsOrAny,
}

/**
 * Makes the choice of a namespace.
 *
 * @param onSecondCollection called once, when a single namespace is searched for a second collection
 * @returns the namespace for a tenant and collection; throws `retriever_misconfigured` for a tenant that may not use
 *   the single namespace, and for a namespace that is not a string
 * @throws `config_invalid` for invalid options
 */
export function namespaceChoice(
  { namespace = '', tenants }: NamespaceOptions,
  onSecondCollection: () => void,
): (tenant: Tenant, collection: CollectionId) => string {
  if (typeof namespace === 'function') {
    if (tenants !== undefined) {
      throw new RagGateError('config_invalid', 'tenants needs one namespace', {
        param: 'tenants',
      })
    }
    return (tenant, collection) => {
      const chosen: unknown = namespace(tenant, collection)
      if (typeof chosen === 'string') return chosen
      throw new RagGateError('retriever_misconfigured', 'namespace must return a string')
    }
  }
  const allowed = tenants ?? ['default']
  let first: CollectionId | undefined
  return (tenant, collection) => {
    if (allowed !== 'any' && !allowed.includes(tenant)) {
      throw new RagGateError(
        'retriever_misconfigured',
        'Tenants share the namespace: give one by tenant, or set tenants',
        { param: 'namespace' },
      )
    }
    first ??= collection
    if (collection !== first) onSecondCollection()
    return namespace
  }
}
