import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const ROOT = new URL('../../', import.meta.url)
const TEXT = readFileSync(new URL('docs/reference/adapters.md', ROOT), 'utf8')
const EXAMPLES = [...TEXT.matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*)```/g)].map(([, code = '']) => code)

/** Method that tells a port. */
const METHODS = ['retrieve', 'upsert', 'embed', 'rerank', 'assess', 'generate']

const unasked = (): Promise<never> => Promise.reject(new Error('nothing is asked here'))

describe('the examples of docs/reference/adapters.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-docs-'))
  beforeAll(() => {
    vi.stubGlobal('env', {
      UPSTASH_VECTOR_REST_URL: 'https://index.test',
      UPSTASH_VECTOR_REST_TOKEN: 'token',
      LLM_BASE_URL: 'https://llm.test/v1',
      LLM_API_KEY: 'key',
      OPENAI_API_KEY: 'key',
      SEARCH_KEY: 'key',
      AI: { run: unasked },
      DB: { prepare: unasked },
      INDEX: { query: unasked },
    })
    vi.stubGlobal('mySearch', () => [{ id: 'a', text: 'Found.', score: 2 }])
  })
  afterAll(() => {
    vi.unstubAllGlobals()
    rmSync(folder, { recursive: true })
  })

  /** Runs an example as it stands, with the package's paths leading to the sources. */
  async function run(at: number): Promise<Record<string, unknown>> {
    const code = EXAMPLES[at]!.replaceAll(/'(@?hono-rag-gate[\w/-]*)'/g, (_, name: string) => `'${import.meta.resolve(name)}'`)
    const file = join(folder, `example-${at}.ts`)
    writeFileSync(file, code)
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>
  }

  test('number eight', () => {
    expect(EXAMPLES).toHaveLength(8)
  })

  test.each(EXAMPLES.map((_, at) => at))('number %i makes what it describes', async (at) => {
    const made = Object.values(await run(at))
    expect(made.length).toBeGreaterThan(0)
    for (const port of made) expect(METHODS.some((method) => Object.hasOwn(Object(port), method))).toBe(true)
  })

  test('include a search with a function of the reader', async () => {
    const { retriever } = (await run(3)) as { retriever: { retrieve: (request: object) => Promise<unknown> } }
    const signal = new AbortController().signal
    const rankings = await retriever.retrieve({ namespace: 'n', question: 'q', topK: 1, signal })
    expect(rankings).toMatchObject([{ kind: 'bm25', entries: [{ score: 2, passage: { id: 'a' } }] }])
  })

  test('name files that exist', () => {
    for (const [, path] of TEXT.matchAll(/`(test\/[\w/.-]+)`/g)) {
      expect(() => readFileSync(fileURLToPath(new URL(path!, ROOT)))).not.toThrow()
    }
  })
})
