/** Which namespace of an index a collection is searched in, and for whom. */
import { RagGateError } from 'hono-rag-gate/errors'
import { type CollectionId, type OptionKinds, stringOrFunction, strings, type Tenant } from 'hono-rag-gate/core/lib'

/** Where an index keeps collections apart. */
export interface NamespaceOptions {
  /**
   * The namespace that is searched: one for everything, or by tenant and collection. `''` is the index's default one.
   *
   * @default '' for an index that others filled; `namespaceOf` for one that the gate's ingestion fills
   */
  readonly namespace?: string | ((tenant: Tenant, collection: CollectionId) => string)
  /**
   * Who may be answered from a namespace that is one for everything: it does not keep tenants' passages apart. `any` for every
   * tenant. A namespace by tenant needs no such list.
   *
   * @default ['default'], the tenant of all callers where they are not told apart
   */
  readonly tenants?: readonly Tenant[] | 'any'
}

/** What each of them must be. */
export const NAMESPACE_OPTIONS: OptionKinds<NamespaceOptions> = {
  namespace: stringOrFunction,
  // A string would be searched for parts of it.
  tenants: { words: "a list of tenants, or 'any'", holds: (value) => value === 'any' || strings.holds(value) },
}

/**
 * Makes the choice of a namespace.
 *
 * @param onSecondCollection told once, when one namespace for everything is searched for another collection than before
 * @returns the namespace of a tenant's collection; it throws `retriever_misconfigured` for a tenant that may not be
 *   answered from the one namespace there is, and for a namespace that is no text
 * @throws `config_invalid` when the options make no sense
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
        "Several tenants share one namespace: give one by tenant, or set tenants: […] or 'any'",
        { param: 'namespace' },
      )
    }
    first ??= collection
    if (collection !== first) onSecondCollection()
    return namespace
  }
}
