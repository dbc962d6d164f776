export { indexStub } from './index-stub.ts'
export { serveIndex } from './serve-index.ts'
export { VectorIndex } from './vector-index.ts'
