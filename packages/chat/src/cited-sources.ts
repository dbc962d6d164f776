/** Citations as the AI SDK names sources: by their address where they have one, as documents otherwise. */
import type { Citation } from 'hono-rag-gate/middleware'

/** A source. */
export interface CitedSource {
  readonly id: string
  /** Present where the source is an address of the web. */
  readonly url?: string
  readonly title: string
  readonly mediaType: string
  /** The source where it is no address. */
  readonly filename?: string
}

/** One for each citation, in their order. */
export function citedSources(citations: readonly Citation[]): readonly CitedSource[] {
  return citations.map(({ id, document_id: document, title = document, source }) => {
    const named = { id, title, mediaType: 'text/plain' }
    if (source === undefined) return named
    return /^https?:\/\//i.test(source) ? { ...named, url: source } : { ...named, filename: source }
  })
}
