/**
 * What a command may hold: limits that the service publishes for every plan; length of answers, distinct terms, depth of metadata, length of ids
 * and those of resumable queries are our own.
 */
export const LIMITS = {
  itemsPerCommand: 1000,
  topK: 1000,
  metadataBytes: 48 * 1024,
  dataBytes: 1024 * 1024,
  sparseDimensions: 1000,
  /** Of JSON in UTF-8, about. */
  answerBytes: 16 * 1024 * 1024,
  distinctTerms: 32_768,
  idLength: 1024,
  namespaceLength: 1024,
  metadataDepth: 32,
  resumableQueries: 1000,
  resumableBytes: 1_500_000,
  maxIdleSeconds: 7 * 24 * 60 * 60,
} as const
