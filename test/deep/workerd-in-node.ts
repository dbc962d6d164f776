/** `cloudflare:workers` for tests that need nothing of it but a database and an index: in plain Node a mutant takes a tenth of the time. */
import { d1InMemory } from '../fixtures/d1-in-memory.ts'
import { embeddedIndex } from '../fixtures/embedded-index.ts'

const indexes = new Map<string, { readonly fetch: ReturnType<typeof embeddedIndex> }>()

function getByName(name: string): object {
  const stub = indexes.get(name) ?? { fetch: embeddedIndex() }
  indexes.set(name, stub)
  return stub
}

export const env = {
  DB: d1InMemory(),
  TEST_DEEP: false,
  TEST_MUTATION: true,
  TEST_EXPORTS: { list: () => [], put: () => undefined },
  VECTOR_INDEX: { getByName },
}
