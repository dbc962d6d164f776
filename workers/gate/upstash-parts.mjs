/**
 * The used parts of the Upstash Vector client: its commands. The adapters send requests themselves, so its HTTP client,
 * which also reads environment variables, stays out of the bundle.
 */
export { Index, QueryMode, WeightingStrategy } from '../../node_modules/@upstash/vector/dist/chunk-VZUGHHBV.mjs'
