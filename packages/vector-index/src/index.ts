/** The vector index for Durable Objects: what its Worker is made of. */
export { type EmbeddedIndex, openIndex } from './protocol/embedded-index.ts'
export { answerCommand, errorResponse, type ProtocolResponse } from './protocol/protocol.ts'
export { ProtocolError } from './protocol-error.ts'
export { wireText } from './protocol/wire-text.ts'
export type { ScanKernel } from './search/dense/kernel.ts'
export { indexSettings, type IndexSettings } from './settings.ts'
export { objectFor } from './objects/route.ts'
