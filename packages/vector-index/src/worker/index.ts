/** The embedded indexes as a Worker of their own: give `@upstash/vector` its URL and a token. */
import { serveIndexes, type IndexesEnv } from './serve-indexes.ts'
import type { VectorIndex } from './vector-index.ts'

export { VectorIndex } from './vector-index.ts'

interface Env extends IndexesEnv {
  readonly VECTOR_INDEX: DurableObjectNamespace<VectorIndex>
}

export default {
  fetch(request, env): Promise<Response> {
    return serveIndexes(request, env)
  },
} satisfies ExportedHandler<Env>
