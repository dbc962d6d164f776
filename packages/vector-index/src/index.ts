/** The vector index for Durable Objects: its settings, and the object that a request belongs to. Its Worker is in `/worker`. */
export { indexSettings, type IndexSettings } from './settings.ts'
export { objectFor } from './objects/route.ts'
