/**
 * docs/your-own-index.md, as its reader goes through it: indexes served locally, filled by the plain client in a user
 * else's shapes, and every example imported and asked.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Document as LangChainDocument } from '@langchain/core/documents'
import { Embeddings } from '@langchain/core/embeddings'
import { FakeEmbeddings } from '@langchain/core/utils/testing'
import { Index } from '@upstash/vector'
import { Document, VectorStoreIndex } from '@vectorstores/core'
import { UpstashVectorStore } from '@vectorstores/upstash'
import { Hono } from 'hono'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { anyPort, ROOT, serveLocally, stopGroup } from '../../scripts/local-gate.ts'
import { createStaticCollections } from '../../src/adapters/static-collections.ts'
import { decodeLexicon } from '../../src/core/text/lexicon.ts'
import type { Retriever } from '../../src/index.ts'
import type { Collections } from '../../src/ports/index.ts'
import { balanced, ragGate, respondWithError } from '../../src/index.ts'
import { run } from '../cli/run.ts'
import { DEEP } from '../deep-run.ts'
import { hashedEmbedder } from '../fixtures/hashed-embedder.ts'
import { fakeVectorize } from '../fixtures/vectorize.ts'
import { buildLexicon } from '../fixtures/english.ts'
import { type BundledIndex, startBundledIndex } from './bundled-index.ts'

const PAGE = readFileSync(join(ROOT, 'docs', 'your-own-index.md'), 'utf8')
/** Examples by the file name in their first line. */
const EXAMPLES = new Map(
  [...PAGE.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, name = '', code = '']) => [name, code]),
)

const PAGES: readonly { readonly slug: string; readonly title: string; readonly text: string }[] = [
  { slug: 'drying', title: 'Drying', text: 'Red paint dries in two hours. Wait another day before the second coat.' },
  {
    slug: 'brushes',
    title: 'Brushes',
    text: 'Brushes are cleaned with warm water and soap. Rinse the bristles twice.',
  },
  { slug: 'primer', title: 'Primer', text: 'Bare wood needs one coat of primer. Sand the surface lightly before it.' },
  {
    slug: 'storage',
    title: 'Storage',
    text: 'Open cans keep for six months in a frost-free cellar. Close the lid firmly.',
  },
  { slug: 'rollers', title: 'Rollers', text: 'Rollers with a short nap suit smooth walls. Long naps are for masonry.' },
  { slug: 'ladders', title: 'Ladders', text: 'Ladders stand on level ground. Never climb onto the top rung.' },
  {
    slug: 'ceilings',
    title: 'Ceilings',
    text: 'Ceilings are painted first, away from the window, in strips of a metre.',
  },
  {
    slug: 'varnish',
    title: 'Varnish',
    text: 'Varnish protects oak floors from scratches. Three thin coats are enough.',
  },
  { slug: 'masking', title: 'Masking', text: 'Masking tape is removed while the paint is still wet, at a flat angle.' },
  { slug: 'colours', title: 'Colours', text: 'The blue pigment is cobalt. The yellow one is ochre from the south.' },
]
const ANSWERED = { question: 'How are brushes cleaned?', words: 'warm water and soap' }
const REFUSED = 'What is the capital of France?'

const INDEXES = {
  texts: {},
  own: { indexType: 'DENSE', dimension: 1536 },
  distances: { indexType: 'DENSE', dimension: 1536, similarityFunction: 'EUCLIDEAN' },
  meaning: { indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' },
  words: { indexType: 'SPARSE' },
  answers: { indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' },
  nodes: { indexType: 'DENSE', dimension: 1536 },
  documents: { indexType: 'DENSE', dimension: 1536 },
  embedded: { indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' },
}
type Name = keyof typeof INDEXES

let home: string
let local: BundledIndex
let embeddings: Server

const bindingsOf = (name: Name) => ({
  UPSTASH_VECTOR_REST_URL: `${local.url}/indexes/${name}`,
  UPSTASH_VECTOR_REST_TOKEN: local.tokens.get(name)!,
  // It listens on TCP.
  EMBEDDINGS_URL: `http://127.0.0.1:${(embeddings.address() as AddressInfo).port}/v1`,
  EMBEDDINGS_KEY: 'key',
})
const clientOf = (name: Name) =>
  new Index({ url: `${local.url}/indexes/${name}`, token: local.tokens.get(name)!, enableTelemetry: false })

/** Vectors as long as those of the model in the example: of words, with zeros behind them. */
async function vectorsOf(texts: readonly string[]): Promise<number[][]> {
  const made = await hashedEmbedder().embed({ texts, purpose: 'passage' })
  return made.map((vector) => [...vector, ...Array<number>(1536 - vector.length).fill(0)])
}

/** The embeddings endpoint that the example asks, in OpenAI's shapes. */
function startEmbeddings(): Promise<Server> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(pieces).toString()) as { input: string[] }
      void vectorsOf(input).then((vectors) => {
        const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }))
      })
    })
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

beforeAll(async () => {
  // Inside the project, so that its dependencies are found.
  mkdirSync(join(ROOT, '.wrangler'), { recursive: true })
  home = mkdtempSync(join(ROOT, '.wrangler', 'your-own-index-'))
  for (const [name, code] of EXAMPLES) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), code)
  }
  local = await startBundledIndex(INDEXES, join(home, 'state'))
  embeddings = await startEmbeddings()
  await fill()
})

afterAll(async () => {
  embeddings?.close()
  await local?.stop()
  rmSync(home, { recursive: true, force: true })
})

/** As other people's programs fill their indexes. */
async function fill(): Promise<void> {
  const vectors = await vectorsOf(PAGES.map(({ text }) => text))
  // Vectors of their own, of another length than 1; the text in metadata.content; the default namespace.
  const rows = PAGES.map(({ slug, title, text }, at) => ({
    id: `chunk_${at}`,
    vector: vectors[at]!.map((value) => value * 3),
    metadata: { content: text, url: `https://paint.test/${slug}#top`, page_title: title },
  }))
  await clientOf('own').upsert(rows)
  await clientOf('distances').upsert(rows)
  // Texts in data, for the index to embed.
  const texts = PAGES.map(({ slug, title, text }) => ({ id: slug, data: text, metadata: { title } }))
  for (const name of ['texts', 'meaning', 'words'] as const) await clientOf(name).upsert(texts)
  await clientOf('texts').upsert(texts, { namespace: 'acme:manual' })
  // The text that is embedded is not the one to answer from.
  const answers = PAGES.map(({ slug, title, text }) => ({
    id: slug,
    data: `${title}: ${text}`,
    metadata: { answer: text, page: { name: title }, slug, text: 'Nothing to read here.' },
  }))
  await clientOf('answers').upsert(answers)
}

/** An example, its imports of the package leading to the sources. */
async function importExample<Module>(name: string): Promise<Module> {
  const code = EXAMPLES.get(name)!
    .replaceAll(/'hono-rag-gate\/adapters\/([\w-]+)'/g, (_all, adapter: string) => `'${source(`adapters/${adapter}`)}'`)
    .replaceAll("'hono-rag-gate'", `'${source('index')}'`)
    // As wrangler does; Node imports no text.
    .replaceAll(
      /import (\w+) from '(\.\/[\w.-]+\.txt)'/g,
      "const $1 = (await import('node:fs')).readFileSync(new URL('$2', import.meta.url), 'utf8')",
    )
  const file = join(home, name.replace('.ts', '.run.ts'))
  writeFileSync(file, code)
  return (await import(pathToFileURL(file).href)) as Module
}
const source = (name: string): string => pathToFileURL(join(ROOT, 'src', `${name}.ts`)).href

interface Reply {
  readonly answer: string
  readonly refused: boolean
  readonly verdict: string
  readonly sources?: readonly { readonly document_id: string; readonly title?: string; readonly source?: string }[]
  readonly error?: { readonly code: string }
}

type App = Pick<Hono, 'request'>

/** Asks, and says which source comes first. */
async function ask(app: App, question: string, env: object = {}) {
  const body = JSON.stringify({ question })
  const headers = { 'content-type': 'application/json' }
  const response = await app.request('/ask', { method: 'POST', body, headers }, env)
  const { sources, ...reply } = (await response.json()) as Reply
  return { status: response.status, first: sources?.[0], ...reply }
}

const lexicon = buildLexicon(PAGES.map(({ text }) => text))

/** The gate of the page over another retriever. */
function appOver(
  retriever: Retriever,
  collections: Collections = createStaticCollections([{ id: 'default', lexicon }]),
): App {
  const app = new Hono()
  app.post('/ask', ragGate({ policy: balanced(), dependencies: { retriever, collections } }), (c) => {
    const { context, citations, summary } = c.var.ragGate
    return c.json({ answer: context.text, sources: citations, refused: false, ...summary })
  })
  app.onError((thrown, c) => respondWithError(c, thrown))
  return app
}

const warnings: string[] = []
const spy = vi.spyOn(console, 'warn').mockImplementation((message: unknown) => void warnings.push(String(message)))
afterEach(() => void warnings.splice(0))
afterAll(() => spy.mockRestore())

test('the page contains the examples used below, which `test/docs/examples.test.ts` compiles', () => {
  expect([...EXAMPLES.keys()]).toEqual([
    'src/index.ts',
    'src/own-vectors.ts',
    'src/fields.ts',
    'src/namespaces.ts',
    'src/collections.ts',
    'src/vectorize.ts',
  ])
})

test.each(['texts', 'meaning', 'words'] as const)(
  `the page's gate answers from the index "%s", and refuses other questions`,
  async (name) => {
    const { default: app } = await importExample<{ default: App }>('src/index.ts')
    const env = bindingsOf(name)
    const answered = await ask(app, ANSWERED.question, env)
    expect(answered).toMatchObject({
      status: 200,
      refused: false,
      first: { document_id: 'brushes', title: 'Brushes' },
    })
    expect(answered.answer).toContain(ANSWERED.words)
    expect(await ask(app, REFUSED, env)).toMatchObject({ status: 200, refused: true, first: undefined })
    expect(warnings).toEqual([])
  },
)

test.each(['own', 'distances'] as const)(
  `the page's gate with an embedder answers from the index "%s"`,
  async (name) => {
    const { retrieverOf } = await importExample<{ retrieverOf: (env: object) => Retriever }>('src/own-vectors.ts')
    const app = appOver(retrieverOf(bindingsOf(name)))
    const answered = await ask(app, ANSWERED.question)
    expect(answered).toMatchObject({
      refused: false,
      first: { document_id: 'https://paint.test/brushes', title: 'Brushes', source: 'https://paint.test/brushes#top' },
    })
    expect(answered.answer).toContain(ANSWERED.words)
    expect((await ask(app, REFUSED)).refused).toBe(true)
  },
)

test('the cosines are the same for every similarity of the index', async () => {
  const { retrieverOf } = await importExample<{ retrieverOf: (env: object) => Retriever }>('src/own-vectors.ts')
  const scores = await Promise.all(
    (['own', 'distances'] as const).map(async (name) => {
      const [ranking] = await retrieverOf(bindingsOf(name)).retrieve({
        tenant: 'default',
        collection: 'default',
        namespace: '',
        question: ANSWERED.question,
        topK: 10,
        signal: new AbortController().signal,
      })
      return ranking!.entries.map(({ passage, score }) => [passage.id, Number(score.toFixed(2))])
    }),
  )
  expect(scores[0]!.length).toBe(10)
  expect(new Map(scores[1] as [string, number][])).toEqual(new Map(scores[0] as [string, number][]))
})

test('the message names a missing embedder, and no question is refused', async () => {
  const { default: app } = await importExample<{ default: App }>('src/index.ts')
  const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(await ask(app, ANSWERED.question, bindingsOf('own'))).toMatchObject({
    status: 503,
    error: { code: 'retriever_misconfigured' },
  })
  const logged = errors.mock.calls.flat().join(' ')
  errors.mockRestore()
  expect(logged).toContain('the retriever has no embedder')
})

test('the fields in the page are read from rows of that shape', async () => {
  const { retrieverOf } = await importExample<{ retrieverOf: (env: object) => Retriever }>('src/fields.ts')
  const app = appOver(retrieverOf(bindingsOf('answers')))
  const answered = await ask(app, ANSWERED.question)
  expect(answered).toMatchObject({
    refused: false,
    first: { document_id: 'brushes', title: 'Brushes', source: 'https://example.com/help/brushes' },
  })
  expect(answered.answer).toContain(ANSWERED.words)
  expect(answered.answer).not.toContain('Nothing to read')
})

test("an index filled by LlamaIndex's successor is read without settings, and by its own retriever", async () => {
  const { UPSTASH_VECTOR_REST_URL: endpoint, UPSTASH_VECTOR_REST_TOKEN: token } = bindingsOf('nodes')
  const documents = PAGES.map(({ slug, text }) => new Document({ text, metadata: { file_path: `docs/${slug}.md` } }))
  const vectorStore = new UpstashVectorStore({ endpoint, token })
  // It takes only "OK" for success; the service says "Success". The rows are there.
  const filled = VectorStoreIndex.fromDocuments(documents, { vectorStore, embedFunc: vectorsOf })
  await expect(filled).rejects.toThrow('Failed to save chunk')
  const theirs = await VectorStoreIndex.fromVectorStore(vectorStore, { text: vectorsOf })
  const [nearest] = await theirs.asRetriever({ similarityTopK: 1 }).retrieve({ query: ANSWERED.question })
  expect(nearest!.node.metadata).toMatchObject({ file_path: 'docs/brushes.md' })

  const { retrieverOf } = await importExample<{ retrieverOf: (env: object) => Retriever }>('src/own-vectors.ts')
  const app = appOver(retrieverOf(bindingsOf('nodes')))
  const answered = await ask(app, ANSWERED.question)
  expect(answered).toMatchObject({ refused: false, first: { source: 'docs/brushes.md' } })
  expect(answered.answer).toContain(ANSWERED.words)
  expect(await ask(app, REFUSED)).toMatchObject({ refused: true })
})

/** Deep runs alone install it: it has more files than all else that the tests need. */
const LANGCHAIN_STORE: string = '@langchain/community/vectorstores/upstash'

interface LangChainStore {
  asRetriever(k: number): { invoke(question: string): Promise<LangChainDocument[]> }
  similaritySearchVectorWithScore(question: string, k: number): Promise<[LangChainDocument, number][]>
}

interface LangChainStores {
  readonly UpstashVectorStore: {
    fromDocuments(documents: LangChainDocument[], embeddings: Embeddings, to: { index: Index }): Promise<LangChainStore>
  }
}

/** LangChain's interface to a model of embeddings. */
class WordEmbeddings extends Embeddings {
  override embedDocuments = (texts: string[]) => vectorsOf(texts)
  override embedQuery = async (text: string) => (await vectorsOf([text]))[0]!
}

test.runIf(DEEP).each([
  {
    name: 'documents',
    embeddings: new WordEmbeddings({}),
    nearest: (store: LangChainStore) => store.asRetriever(1).invoke(ANSWERED.question),
    example: 'src/own-vectors.ts',
  },
  {
    name: 'embedded',
    // By these it knows that the index embeds.
    embeddings: new FakeEmbeddings(),
    nearest: async (store: LangChainStore) =>
      (await store.similaritySearchVectorWithScore(ANSWERED.question, 1)).map(([document]) => document),
    example: 'src/index.ts',
  },
] as const)('the index "$name" filled by LangChain is read without settings, and by its own store', async (filled) => {
  const documents = PAGES.map(
    ({ slug, text }) => new LangChainDocument({ pageContent: text, metadata: { source: `docs/${slug}.md` } }),
  )
  const { UpstashVectorStore: stores } = (await import(LANGCHAIN_STORE)) as LangChainStores
  const store = await stores.fromDocuments(documents, filled.embeddings, { index: clientOf(filled.name) })
  expect(await filled.nearest(store)).toMatchObject([{ metadata: { source: 'docs/brushes.md' } }])

  const env = bindingsOf(filled.name)
  const { retrieverOf, default: gate } = await importExample<{
    retrieverOf?: (env: object) => Retriever
    default?: App
  }>(filled.example)
  const app = gate ?? appOver(retrieverOf!(env))
  const answered = await ask(app, ANSWERED.question, env)
  expect(answered).toMatchObject({ refused: false, first: { source: 'docs/brushes.md' } })
  expect(answered.answer).toContain(ANSWERED.words)
  expect(await ask(app, REFUSED, env)).toMatchObject({ refused: true })
})

const request = (tenant: string, collection: string) => ({
  tenant,
  collection,
  namespace: '',
  question: ANSWERED.question,
  topK: 3,
  signal: new AbortController().signal,
})

test('a namespace by tenant and collection is searched, and an empty one causes a warning that names the others', async () => {
  const { retrieverOf } = await importExample<{ retrieverOf: (env: object) => Retriever }>('src/namespaces.ts')
  const retriever = retrieverOf(bindingsOf('texts'))
  const [dense] = await retriever.retrieve(request('acme', 'manual'))
  expect(dense!.entries[0]!.passage.id).toBe('brushes')
  expect(warnings).toEqual([])
  const nothing = await retriever.retrieve(request('globex', 'manual'))
  expect(nothing.map(({ entries }) => entries)).toEqual([[], []])
  expect(warnings).toEqual([expect.stringContaining('"globex:manual"')])
  expect(warnings[0]).toContain('"" (10), "acme:manual" (10)')
  // Ids have hyphens: no two collections have one namespace.
  await retriever.retrieve(request('globex-eu', 'manual'))
  await retriever.retrieve(request('globex', 'eu-manual'))
  expect(warnings).toHaveLength(3)
})

describe('the lexicon', () => {
  const out = () => join(home, 'src', 'docs.lexicon.txt')
  test("is computed by the page's command, and accepted by the page's collections", async () => {
    const [, command = ''] = /```sh\nnpx rag-gate (lexicon .+)\n```/.exec(PAGE) ?? []
    const given = command.split(' ').map((one) => (one === 'src/docs.lexicon.txt' ? out() : one))
    const { code, out: said, notes } = await run(given, { env: bindingsOf('own') })
    expect([code, `${said}${notes}`]).toEqual([0, `${out()}: ${lexicon.documentFrequency.size} terms of 10 chunks\n`])
    expect(decodeLexicon(readFileSync(out(), 'utf8'))).toEqual(lexicon)
    const { collections } = await importExample<{ collections: Collections }>('src/collections.ts')
    const found = await collections.find('default', 'default')
    expect(await collections.lexicon(found?.lexiconId ?? '')).toEqual(lexicon)
    const { retrieverOf } = await importExample<{ retrieverOf: (env: object) => Retriever }>('src/own-vectors.ts')
    const app = appOver(retrieverOf(bindingsOf('own')), collections)
    expect(await ask(app, ANSWERED.question)).toMatchObject({ refused: false })
  })

  test.runIf(DEEP)('is bundled with the Worker that wrangler serves, whose gate then answers over HTTP', async () => {
    // The page's gate, with the page's collections in it.
    const worker = EXAMPLES.get('src/index.ts')!
      .replace("import { createStaticCollections } from 'hono-rag-gate/adapters/static-collections'\n", '')
      .replace("createStaticCollections([{ id: 'default' }])", 'collections')
    writeFileSync(join(home, 'src', 'worker.ts'), `import { collections } from './collections.ts'\n${worker}`)
    const alias = {
      'hono-rag-gate/adapters/static-collections': join(ROOT, 'src', 'adapters', 'static-collections.ts'),
      'hono-rag-gate': join(ROOT, 'src', 'index.ts'),
      '@hono-rag-gate/upstash': join(ROOT, 'packages', 'upstash', 'src', 'index.ts'),
    }
    const config = {
      name: 'your-own-index',
      main: 'src/worker.ts',
      compatibility_date: '2025-09-01',
      compatibility_flags: ['nodejs_compat'],
      alias,
      vars: bindingsOf('texts'),
    }
    writeFileSync(join(home, 'wrangler.json'), JSON.stringify(config))
    const { url, child, output, stopped } = await serveLocally(
      anyPort(),
      ['--config', join(home, 'wrangler.json')],
      async (address) => void (await vi.waitFor(() => fetch(address), { timeout: 60_000, interval: 150 })),
    )
    try {
      const served = { request: (path: string, init: RequestInit) => fetch(`${url}${path}`, init) }
      const app = served as unknown as App
      const answered = await ask(app, ANSWERED.question)
      expect(answered, output()).toMatchObject({ refused: false, first: { document_id: 'brushes' } })
      expect(await ask(app, REFUSED)).toMatchObject({ refused: true })
    } finally {
      await stopGroup(child, stopped)
    }
  })
})

test("the page's retriever answers from a Vectorize index filled by others", async () => {
  const { retrieverOf } = await importExample<{ retrieverOf: (env: object) => Retriever }>('src/vectorize.ts')
  const embedder = hashedEmbedder()
  const index = fakeVectorize({ dimensions: embedder.dimension })
  const values = await embedder.embed({ texts: PAGES.map(({ text }) => text), purpose: 'passage' })
  index.hold(
    PAGES.map(({ slug, title, text }, at) => ({
      id: String(at),
      values: values[at]!,
      metadata: { content: text, title, url: `https://paint.test/${slug}` },
    })),
  )
  const ai = {
    run: async (_model: string, { text }: { text: readonly string[] }) => {
      const data = await embedder.embed({ texts: text, purpose: 'question' })
      return { shape: [data.length, embedder.dimension], data }
    },
  }
  const app = appOver(retrieverOf({ INDEX: index, AI: ai }))
  expect(await ask(app, ANSWERED.question)).toMatchObject({
    refused: false,
    first: { document_id: 'https://paint.test/brushes', title: 'Brushes' },
  })
  expect(await ask(app, REFUSED)).toMatchObject({ refused: true })
})

test('the page lists the usual field names exactly', async () => {
  const { USUAL_FIELDS } = await import('../../packages/upstream/src/rows/passage-fields.ts')
  for (const [part, names] of Object.entries(USUAL_FIELDS)) {
    const row = PAGE.split('\n').find((line) => line.startsWith(`| ${part === 'documentId' ? 'document' : part} |`))
    const listed = [...(row ?? '').matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name.replace('metadata.', ''))
    expect(listed).toEqual(names)
  }
})
