import { objectFor } from '../objects/object-names.ts'

/** What answers a request for an index. */
export interface IndexStub {
  fetch(request: Request): Promise<Response>
}

/** The objects of indexes, as a binding gives them. */
export interface IndexObjects {
  getByName(name: string): IndexStub
}

/**
 * An index as one thing to send requests to: each goes straight to the object that holds its namespace.
 *
 * @param index its name
 */
export function indexStub(objects: IndexObjects, index: string): IndexStub {
  return { fetch: (request) => objects.getByName(objectFor(index, new URL(request.url))).fetch(request) }
}
