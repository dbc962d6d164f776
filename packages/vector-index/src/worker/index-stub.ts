import { objectFor } from '../objects/object-names.ts'

/** Answers the requests to an index. */
export interface IndexStub {
  fetch(request: Request): Promise<Response>
}

/** The objects of indexes, as provided by a binding. */
export interface IndexObjects {
  getByName(name: string): IndexStub
}

/**
 * Sends the requests to an index directly to the object that serves them.
 *
 * @param index its name
 */
export function indexStub(objects: IndexObjects, index: string): IndexStub {
  return { fetch: (request) => objects.getByName(objectFor(index, new URL(request.url))).fetch(request) }
}
