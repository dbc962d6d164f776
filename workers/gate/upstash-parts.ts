/**
 * In the place of the client of Upstash Vector (`alias` in `wrangler.toml`): what the adapters ask of an index, sent as the
 * client sends it. They bring its transport along, and read every result themselves.
 */
import type { Requester } from '@upstash/vector'

export const QueryMode = { DENSE: 'DENSE', SPARSE: 'SPARSE' }
export const WeightingStrategy = { IDF: 'IDF' }

interface InNamespace {
  readonly namespace?: string | undefined
}

export class Index {
  readonly #transport: Requester
  constructor(transport: Requester) {
    this.#transport = transport
  }
  async #send(command: string, body: unknown, { namespace }: InNamespace = {}): Promise<unknown> {
    const path = [namespace ? `${command}/${namespace}` : command]
    return (await this.#transport.request({ path, body })).result
  }
  info(): Promise<unknown> {
    return this.#send('info', [])
  }
  /** Of texts: the adapters write no vectors. */
  upsert(items: readonly object[], options: InNamespace): Promise<unknown> {
    return this.#send('upsert-data', items, options)
  }
  fetch(ids: readonly string[], { namespace, ...included }: InNamespace): Promise<unknown> {
    return this.#send('fetch', { ids, ...included }, { namespace })
  }
  delete(ids: object, options: InNamespace): Promise<unknown> {
    return this.#send('delete', ids, options)
  }
  query(query: object, options: InNamespace): Promise<unknown> {
    return this.#send('data' in query ? 'query-data' : 'query', query, options)
  }
  queryMany(queries: readonly [object, ...object[]], options: InNamespace): Promise<unknown> {
    return this.#send('data' in queries[0] ? 'query-data' : 'query', queries, options)
  }
}
