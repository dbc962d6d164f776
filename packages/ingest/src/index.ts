export type { IncomingDocument } from './incoming-document.ts'
export { type IngestPorts, type IngestedDocument, ingestDocuments } from './ingest-documents.ts'
export { INGEST_STATUS } from './errors.ts'
export { documentHash, documentOrigin } from './document-hash.ts'
export { removeDocuments } from './remove-documents.ts'
export { sweepIndex } from './sweep-index.ts'
export { learnScale, type LearnScaleOptions } from './learn-scale.ts'
export { learnIfNeeded, type ScalePorts } from './learn-if-needed.ts'
export type {
  ChunkCounts,
  CollectionName,
  CollectionWriter,
  CorpusChange,
  DocumentPage,
  DocumentRecord,
  Writer,
} from './collection-writer.ts'
export type { DocumentFormat, DocumentPart, SplitDocument, Splitter } from './splitter.ts'
