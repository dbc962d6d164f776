/** The vector index for Durable Objects: what its Worker is made of. */
export { indexSettings, type IndexSettings } from './settings.ts'
export { objectFor } from './objects/route.ts'
