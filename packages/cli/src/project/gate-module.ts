/** Files that `rag-gate init` writes: the gate's module, and an entry point for Workers without Hono. */

/** Where passages are searched. */
export type PassageIndex = 'words' | 'upstash'

/** Variant of the module: one per index for Workers, or Upstash for other Hono apps. */
export type GateModule = PassageIndex | 'elsewhere'

/** Name of the database binding that `init` adds. */
export const BINDING = 'RAG_GATE_DB'

/** Packages that the module imports, except Hono, with their peer dependencies. */
export const PACKAGES: Readonly<Record<GateModule, readonly string[]>> = {
  words: [
    'hono-rag-gate',
    '@hono-rag-gate/ingest',
    '@hono-rag-gate/upstream',
    '@hono-rag-gate/word-index',
    'drizzle-orm',
    'entities',
    'markdown-it',
  ],
  upstash: ['hono-rag-gate', '@hono-rag-gate/upstash', '@hono-rag-gate/upstream', '@upstash/vector', 'drizzle-orm'],
  elsewhere: ['hono-rag-gate', '@hono-rag-gate/upstash', '@hono-rag-gate/upstream', '@upstash/vector'],
}

/** Import and export lines from data; as literal text, linters would treat them as imports of this module. */
function lines(each: readonly (readonly [what: string, from: string])[]): string {
  return each.map(([what, from]) => `${what} from '${from}'`).join('\n')
}

/** Source of the module. */
export function gateModule(index: GateModule): string {
  return { words: OVER_WORDS, upstash: OVER_UPSTASH, elsewhere: ELSEWHERE }[index]
}

const routes = (env: string, statuses = ''): string => `
/** The routes of the gate. */
export const gated = new Hono${env}()
gated.onError((thrown, c) => respondWithError(c, thrown${statuses}))

gated.post('/ask', gate, (c) => {
  const { evidence, citations, summary } = c.var.ragGate
  // Your model call: \`context.text\` holds the passages for its prompt, \`caution\` what to say of a weak answer.
  return c.json({ answer: evidence.chunks[0]?.text ?? '', sources: citations, refused: false, ...summary })
})
`

const OVER_WORDS = `/** \`POST /ask\` answers what the documents support and refuses the rest; \`PUT /documents/{id}\` takes documents. */
${lines([
  ['import { Hono }', 'hono'],
  ['import { bearerAuth }', 'hono/bearer-auth'],
  ['import { timingSafeEqual }', 'hono/utils/buffer'],
  ['import { balanced, RagGateError, ragGate, respondWithError }', 'hono-rag-gate'],
  ['import { createBufferedDecisionLog }', 'hono-rag-gate/adapters/buffered-decision-log'],
  ['import { createD1DecisionStore }', 'hono-rag-gate/adapters/d1'],
  ['import { utf8TextOf }', 'hono-rag-gate/http'],
  ['import { english }', 'hono-rag-gate/language/english'],
  ['import { INGEST_STATUS, ingestDocuments }', '@hono-rag-gate/ingest'],
  ['import { createD1Collections }', '@hono-rag-gate/ingest/d1'],
  ['import { createMarkdownSplitter, htmlToMarkdown }', '@hono-rag-gate/ingest/markdown'],
  ['import { createWordIndex, createWordRetriever }', '@hono-rag-gate/word-index'],
])}

export interface GateEnv {
  readonly ${BINDING}: D1Database
  /** For documents: 32 characters or more. */
  readonly ADMIN_TOKEN: string
}

let opened: ReturnType<typeof open> | undefined
/** Once for an isolate. */
const stores = ({ ${BINDING}: db }: GateEnv) => (opened ??= open(db))

function open(db: D1Database) {
  const collections = createD1Collections({ db })
  return {
    reading: {
      collections,
      retriever: createWordRetriever({ db, language: english }),
      log: createBufferedDecisionLog({ store: createD1DecisionStore({ db }) }),
    },
    writing: {
      collections,
      index: createWordIndex({ db, language: english }),
      splitter: createMarkdownSplitter({ htmlToMarkdown }),
      clock: { nowMs: () => Date.now() },
    },
  }
}

const gate = ragGate<GateEnv>({ policy: balanced(), dependencies: (env) => stores(env).reading })
${routes('<{ Bindings: GateEnv }>', ', INGEST_STATUS')}
const isAdmin = async (token: string, { ADMIN_TOKEN: admin = '' }: GateEnv) =>
  admin.length >= 32 && (await timingSafeEqual(token, admin))

gated.put('/documents/:id', bearerAuth({ verifyToken: (token, c) => isAdmin(token, c.env as GateEnv) }), async (c) => {
  const text = utf8TextOf(await c.req.arrayBuffer())
  if (text === undefined) throw new RagGateError('invalid_utf8', 'The document is not UTF-8')
  const document = { id: c.req.param('id'), text, format: 'markdown' as const }
  return c.json(await ingestDocuments(stores(c.env).writing, 'default', 'default', [document]))
})
`

const OVER_UPSTASH = `/** \`POST /ask\` answers what the documents support and refuses the rest. */
${lines([
  ['import { Hono }', 'hono'],
  ['import { balanced, ragGate, respondWithError }', 'hono-rag-gate'],
  ['import { createBufferedDecisionLog }', 'hono-rag-gate/adapters/buffered-decision-log'],
  ['import { createD1DecisionStore }', 'hono-rag-gate/adapters/d1'],
  ['import { createUpstashRetriever }', '@hono-rag-gate/upstash'],
])}

export interface GateEnv {
  readonly ${BINDING}: D1Database
  readonly UPSTASH_VECTOR_REST_URL: string
  readonly UPSTASH_VECTOR_REST_TOKEN: string
}

const gate = ragGate<GateEnv>({
  policy: balanced(),
  dependencies: (env) => ({
    retriever: createUpstashRetriever({ url: env.UPSTASH_VECTOR_REST_URL, token: env.UPSTASH_VECTOR_REST_TOKEN }),
    log: createBufferedDecisionLog({ store: createD1DecisionStore({ db: env.${BINDING} }) }),
  }),
})
${routes('<{ Bindings: GateEnv }>')}`

const ELSEWHERE = `/** \`POST /ask\` answers what the documents support and refuses the rest. */
${lines([
  ['import { Hono }', 'hono'],
  ['import { balanced, ragGate, respondWithError }', 'hono-rag-gate'],
  ['import { createUpstashRetriever }', '@hono-rag-gate/upstash'],
])}

const { UPSTASH_VECTOR_REST_URL: url = '', UPSTASH_VECTOR_REST_TOKEN: token = '' } = process.env

const gate = ragGate({ policy: balanced(), dependencies: { retriever: createUpstashRetriever({ url, token }) } })
${routes('')}`

/** An entry point that serves the gate's routes, and passes other requests to the existing Worker. */
export function wrappingEntry(worker: string, gate: string): string {
  return `/** The gate's routes, before the Worker that was there. */
${lines([
  ['import { Hono }', 'hono'],
  ['import worker', worker],
  ['import { gated, type GateEnv }', gate],
  ['export *', worker],
])}

type Before = { fetch(request: Request, env: GateEnv, context: unknown): Response | Promise<Response> }
const app = new Hono<{ Bindings: GateEnv }>()
app.route('/', gated)
// It gets what it would have got without the gate.
app.all('*', (c) => (worker as unknown as Before).fetch(c.req.raw, c.env, c.executionCtx))

export default { ...worker, fetch: app.fetch }
`
}
