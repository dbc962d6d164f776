/** The vector index for Durable Objects: its settings, and the object that a request belongs to. Its Worker is in `/worker`. */
export { indexesOf } from './configured-indexes.ts'
export { embedsTexts, indexSettings, type IndexSettings, kindOf } from './settings.ts'
export { objectFor } from './objects/object-names.ts'
