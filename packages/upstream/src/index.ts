/** Services asked over HTTP: a search as a retriever, and the cache of a Cloudflare zone. */
export { createHttpRetriever, type HttpRetrieverOptions, type RowPaths, type SearchFacts } from './http-retriever.ts'
export { createZoneAnswerPurges, type ZoneAnswerPurgesOptions } from './zone-answer-purges.ts'
