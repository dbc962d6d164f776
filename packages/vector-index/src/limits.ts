/**
 * Limits of commands: those that the service publishes for every plan; limits of answer size, distinct terms, metadata
 * depth, id length and resumable queries are our own.
 */
export const LIMITS = {
  itemsPerCommand: 1000,
  topK: 1000,
  metadataBytes: 48 * 1024,
  dataBytes: 1024 * 1024,
  sparseDimensions: 1000,
  /** Approximate size as JSON in UTF-8. */
  answerBytes: 16 * 1024 * 1024,
  distinctTerms: 32_768,
  idLength: 1024,
  namespaceLength: 1024,
  metadataDepth: 32,
  resumableQueries: 1000,
  resumableBytes: 1_500_000,
  maxIdleSeconds: 7 * 24 * 60 * 60,
} as const
