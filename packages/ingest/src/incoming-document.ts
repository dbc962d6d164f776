import type { Json } from 'hono-rag-gate/core/lib'
import type { DocumentFormat } from './splitter.ts'

/** A validated document to ingest. */
export interface IncomingDocument {
  readonly id: string
  readonly text: string
  readonly format: DocumentFormat
  readonly title?: string
  readonly source?: string
  readonly version?: string
  readonly metadata?: Readonly<Record<string, Json>>
}
