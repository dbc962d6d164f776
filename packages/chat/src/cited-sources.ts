/** Citations as sources of the AI SDK: URLs if they have one, documents otherwise. */
import type { Citation } from 'hono-rag-gate/middleware'

/** A source. */
export interface CitedSource {
  readonly id: string
  /** The source, if it is an HTTP(S) URL. */
  readonly url?: string
  readonly title: string
  readonly mediaType: string
  /** The source, if it is not an HTTP(S) URL. */
  readonly filename?: string
}

/** One for each citation, in the same order. */
export function citedSources(citations: readonly Citation[]): readonly CitedSource[] {
  return citations.map(({ id, document_id: document, title = document, source }) => {
    const named = { id, title, mediaType: 'text/plain' }
    if (source === undefined) return named
    return /^https?:\/\//i.test(source) ? { ...named, url: source } : { ...named, filename: source }
  })
}
