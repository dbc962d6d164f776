/**
 * What is used here of the client of Upstash Vector: its commands. The adapters send the requests themselves, so its own
 * HTTP client and what reads the environment for it stay out of the Worker.
 */
export { Index, QueryMode, WeightingStrategy } from '../../node_modules/@upstash/vector/dist/chunk-VZUGHHBV.mjs'
