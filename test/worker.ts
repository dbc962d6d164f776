/** What the tests run in: the ready Worker, and the objects of the vector index beside it. */
export { VectorIndex } from '../packages/vector-index/src/worker/door.ts'
export { AnswerFlight, default } from '../workers/gate/index.ts'
