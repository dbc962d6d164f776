/** The vector index for Durable Objects: its settings, and the object for a request. Its Worker is in `/worker`. */
export { indexesOf } from './configured-indexes.ts'
export { embedsTexts, indexSettings, type IndexSettings, kindOf } from './settings.ts'
export { objectFor } from './objects/object-names.ts'
