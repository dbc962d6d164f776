/** The embedded index behind the gate's own adapter: in this process, and in workerd. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { createUpstashChunkIndex, createUpstashRetriever, type UpstashOptions } from '../packages/upstash/src/index.ts'
import type { Passage } from '../src/core/evidence/chunk.ts'
import { IndexInMemory } from '../test/vector-index/index-in-memory.ts'
import { bundle } from '../scripts/bundle.ts'

const NAMESPACE = 'bench'
const TOP_K = 10
const TIMEOUT_MS = 30_000

/** An index to query. */
export interface AskedIndex {
  /** Retrieves ten chunks with their texts, dense and sparse in one round trip. */
  readonly retrieve: (question: string) => Promise<unknown>
}

/** The index without a network: commands run in this process, with the same JSON as over HTTP. */
export async function indexInProcess(passages: readonly Passage[]): Promise<AskedIndex> {
  const index = new IndexInMemory()
  return filled(passages, {
    url: 'http://index.invalid',
    fetch: async (url, init) => {
      const { pathname, search } = new URL(url)
      // The adapter sends bodies as text.
      const sent = init?.body === undefined ? undefined : (JSON.parse(init.body as string) as unknown)
      const { status, body } = index.answer(init?.method ?? 'GET', pathname + search, sent)
      return Response.json(body, { status })
    },
  })
}

/** The index in its Durable Object, over local HTTP. `knock` takes the same path but stops before the object. */
export async function indexInWorkerd(
  passages: readonly Passage[],
): Promise<AskedIndex & { readonly knock: () => Promise<unknown>; readonly close: () => Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bench-'))
  const token = 'bench-token-0123456789abcdef0123456789abcdef'
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'vector-index',
      modules: bundle('packages/vector-index/src/worker/index.ts', directory),
      modulesRoot: directory,
      compatibilityDate: '2026-11-01',
      compatibilityFlags: ['nodejs_compat'],
      host: '127.0.0.1',
      port: 0,
      durableObjects: { VECTOR_INDEX: { className: 'VectorIndex', useSQLite: true } },
      bindings: { INDEX_TOKEN: token },
    }),
  )
  const close = async (): Promise<void> => {
    await miniflare.dispose()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const url = (await miniflare.ready).origin
    const asked = await filled(passages, { url, token })
    return { ...asked, knock: async () => (await fetch(`${url}/info`)).arrayBuffer(), close }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

async function filled(passages: readonly Passage[], options: UpstashOptions): Promise<AskedIndex> {
  await createUpstashChunkIndex({ ...options, timeoutMs: TIMEOUT_MS }).upsert(NAMESPACE, passages)
  const retriever = createUpstashRetriever({
    ...options,
    timeoutMs: TIMEOUT_MS,
    filledBy: 'gate',
    namespace: () => NAMESPACE,
  })
  const request = { tenant: 'bench', collection: 'bench', namespace: NAMESPACE, topK: TOP_K }
  const retrieve = (question: string): Promise<readonly { readonly entries: readonly unknown[] }[]> =>
    retriever.retrieve({ ...request, question, signal: new AbortController().signal })
  // The first search loads the index, and verifies the result.
  const rankings = await retrieve(passages[0]?.text ?? '')
  if (rankings.some(({ entries }) => entries.length !== TOP_K)) throw new Error('The index does not find ten chunks')
  return { retrieve }
}
