/** Namespaces in URL paths. The client does not encode them, so `?` or `/` could address another tenant's namespace. */
import { misconfigured } from './misconfigured.ts'

/** Checks a namespace that the gate's ingestion writes to. @throws `retriever_misconfigured` if it is not safe in a path */
export function checkedNamespace(namespace: string): string {
  if (/^[\w-]{1,64}$/.test(namespace)) return namespace
  throw misconfigured('a namespace must be 1 to 64 of A-Z a-z 0-9 _ -')
}

/** Encodes a namespace for a path. @throws `retriever_misconfigured` if it cannot be part of a path */
export function encodedNamespace(namespace: string): string {
  if (namespace.length > 1024 || /^\.\.?$|\p{Surrogate}/u.test(namespace)) {
    throw misconfigured('the namespace cannot be named in a path')
  }
  return encodeURIComponent(namespace)
}
