/** Retrievers over other searches: an HTTP service, or a function. */
export { createHttpRetriever, type HttpRetrieverOptions, type RowPaths, type SearchFacts } from './http-retriever.ts'
export { createRetriever, type FoundRow, type Search } from './custom-retriever.ts'
