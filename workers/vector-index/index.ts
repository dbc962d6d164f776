/** The embedded index as a Worker of its own: give `@upstash/vector` its URL and `INDEX_TOKEN`. */
import { serveIndex } from './serve-index.ts'
import type { VectorIndex } from './vector-index.ts'

export { VectorIndex } from './vector-index.ts'

interface Env {
  readonly VECTOR_INDEX: DurableObjectNamespace<VectorIndex>
  readonly INDEX_TOKEN?: string
}

export default {
  fetch(request, env): Promise<Response> {
    return serveIndex(request, { token: env.INDEX_TOKEN, stub: env.VECTOR_INDEX.getByName('default') })
  },
} satisfies ExportedHandler<Env>
