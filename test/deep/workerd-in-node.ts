/** `cloudflare:workers` for tests that need nothing of it but a database: in plain Node a mutant takes a tenth of the time. */
import { d1InMemory } from '../fixtures/d1-in-memory.ts'

export const env = { DB: d1InMemory(), TEST_DEEP: false, TEST_EXPORTS: { list: () => [], put: () => undefined } }
