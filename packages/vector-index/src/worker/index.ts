/** A Worker that serves the embedded indexes: give `@upstash/vector` its URL and a token. */
import { serveIndexes, type IndexesEnv } from './serve-indexes.ts'

export { VectorIndex } from './vector-index.ts'

export default {
  fetch: (request, env): Promise<Response> => serveIndexes(request, env),
} satisfies ExportedHandler<IndexesEnv>
