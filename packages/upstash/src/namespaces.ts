/** Namespaces in a path: the client puts them there as they are, where `?` or `/` would name another tenant's. */
import { misconfigured } from './misconfigured.ts'

/** A namespace that the gate's ingestion fills. @throws `retriever_misconfigured` for one that is not safe in a path */
export function checkedNamespace(namespace: string): string {
  if (/^[\w-]{1,64}$/.test(namespace)) return namespace
  throw misconfigured('a namespace must be 1 to 64 of A-Z a-z 0-9 _ -')
}

/** A namespace that others named, as it stands in a path. @throws `retriever_misconfigured` for one that no path can have */
export function encodedNamespace(namespace: string): string {
  if (namespace.length > 1024 || /^\.\.?$|\p{Surrogate}/u.test(namespace)) {
    throw misconfigured('the namespace cannot be named in a path')
  }
  return encodeURIComponent(namespace)
}
