/** Searches of one's own as retrievers: a service asked over HTTP, a function. */
export { createHttpRetriever, type HttpRetrieverOptions, type RowPaths, type SearchFacts } from './http-retriever.ts'
export { createRetriever, type FoundRow, type Search } from './custom-retriever.ts'
