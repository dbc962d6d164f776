import type { WriteErrorCode } from 'hono-rag-gate/errors'

/** HTTP statuses of the errors of writing documents: `respondWithError(c, thrown, INGEST_STATUS)`. */
export const INGEST_STATUS = {
  document_not_found: 404,
  collection_conflict: 409,
  too_many_chunks: 413,
  too_much_work: 413,
  document_too_complex: 422,
  index_not_settled: 503,
  index_full: 507,
} as const satisfies Readonly<Record<WriteErrorCode, number>>
