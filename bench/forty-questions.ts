/**
 * Forty questions on a documentation that nothing was tuned on: how many verdicts of the ready Worker are right.
 *
 *   npm run bench -- forty-questions
 *
 * The documentation of fastify is taken from its npm package. Ten questions use its words, ten everyday words, ten ask
 * for a fact that is missing, and ten are off-topic. All were written before any verdict was looked at, and no rule was
 * changed for them. First lexically in the ready Worker, without a model, on the scale that the collection learns; then
 * in a gate over an index of the same passages with a small neural encoder's vectors and BM25; then with a simulated
 * reranker for confidences from 0.1 to 0.95, which knows the pages and is wrong about a share of the questions.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binomialInterval } from '../packages/calibration/src/binomial-interval.ts'
import { ask, ingest } from '../packages/cli/src/gate-client.ts'
import { learnScale } from '../packages/ingest/src/index.ts'
import { createMarkdownSplitter } from '../packages/ingest/src/markdown/markdown-splitter.ts'
import { startLocalGate } from '../scripts/local-gate.ts'
import type { Passage } from '../src/core/evidence/chunk.ts'
import { buildLexicon } from '../src/core/text/lexicon.ts'
import { english } from '../src/language/english/english.ts'
import { plainCollection } from '../src/ports/collections.ts'
import { balanced } from '../src/presets/balanced/balanced.ts'
import { balancedGraded } from '../src/presets/balanced/balanced-graded.ts'
import { reranking } from '../src/pipeline/reranking.ts'
import { meanOf } from '../src/core/lib/statistics.ts'
import { benchGate } from './evaluation/bench-gate.ts'
import { gateOver, overUpstash } from './evaluation/embedded-passages.ts'
import { openEncoder } from './evaluation/encoder.ts'
import { standInReader } from './evaluation/stand-in-reader.ts'
import { markdownTable } from './markdown-table.ts'

const PACKAGE = 'fastify@5.12.8'
/** Draws of the questions that the simulated reranker is wrong about. */
const DRAWS = 20

/** A question, and the page that answers it. */
type Asked = readonly [question: string, page?: string]

const QUESTIONS: Readonly<Record<string, readonly Asked[]>> = {
  'in its words': [
    ['How do I register a plugin with a route prefix?', 'Reference/Plugins.md'],
    ['What is the default of bodyLimit?', 'Reference/Server.md'],
    ['How do I set a custom error handler?', 'Reference/Server.md'],
    ['Which hooks are called in the request lifecycle?', 'Reference/Lifecycle.md'],
    ['How do I add a content type parser?', 'Reference/ContentTypeParser.md'],
    ['What does reply.hijack do?', 'Reference/Reply.md'],
    ['How do I enable HTTP2?', 'Reference/HTTP2.md'],
    ['How do I decorate the request?', 'Reference/Decorators.md'],
    ['How do I enable the logger?', 'Reference/Logging.md'],
    ['How is a querystring validated with a JSON schema?', 'Reference/Validation-and-Serialization.md'],
  ],
  'in everyday words': [
    ['How can I stop people from sending far too much data?', 'Reference/Server.md'],
    ['How do I shut it down without cutting people off?', 'Reference/Server.md'],
    ['How do I keep passwords out of the log?', 'Reference/Logging.md'],
    ['Can I try my routes without starting a real server?', 'Guides/Testing.md'],
    ['How can two versions of my api live at the same address?', 'Reference/Routes.md'],
    ['What is sent when somebody opens a page that does not exist?', 'Reference/Server.md'],
    ['How do I run something before every request?', 'Reference/Hooks.md'],
    ['How do I share a helper between all of my routes?', 'Reference/Decorators.md'],
    ['How do I run it on the cloud as a function?', 'Guides/Serverless.md'],
    ['How do I notice that the visitor has left before I answer?', 'Guides/Detecting-When-Clients-Abort.md'],
  ],
  'near misses': [
    ['What is the default lifetime of a session cookie?'],
    ['How many worker threads does Fastify start?'],
    ['How do I store the logs in a database table?'],
    ['What does an enterprise licence of Fastify cost?'],
    ['How do I have failed requests retried by the server?'],
    ['How do I change the colours of the error page?'],
    ['What is the largest number of plugins that can be registered?'],
    ['How do I write a plugin in Rust?'],
    ['Which hook is called when a user logs in?'],
    ['How do I enable the built-in GraphQL subscriptions?'],
  ],
  'off-topic': [
    ['What is the weather in Chicago?'],
    ['How many moons does Jupiter have?'],
    ['Who painted the Mona Lisa?'],
    ['How do I bake bread without yeast?'],
    ['What is the capital of Australia?'],
    ['When was the Eiffel Tower built?'],
    ['How much does a train ticket to Vienna cost?'],
    ['Which vitamins are in a banana?'],
    ['Who won the chess world championship in 1985?'],
    ['How do I get a coffee stain out of a shirt?'],
  ],
}

const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bench-'))
try {
  execFileSync('npm', ['pack', '--silent', PACKAGE], { cwd: folder })
  execFileSync('tar', ['xzf', ...globSync('*.tgz', { cwd: folder })], { cwd: folder })
  const docs = join(folder, 'package', 'docs')
  const documents = globSync('**/*.md', { cwd: docs }).map((id) => ({ id, text: readFileSync(join(docs, id), 'utf8') }))
  const gate = await startLocalGate({ stateDirectory: join(folder, 'state'), port: 8910 })
  try {
    await ingest(gate.url, gate.adminToken, documents)
    await untilScaled(gate.url)
    await report(`${PACKAGE}, ${documents.length} pages, in the ready Worker`, async (question) => {
      const { body } = await ask(gate.url, question)
      const pages = (body.detail?.chunks ?? []).map((chunk) => chunk.document_id)
      return { refused: body.refused, verdict: body.verdict, pages }
    })
  } finally {
    await gate.stop()
  }
  await overMeaning(documents)
} finally {
  rmSync(folder, { recursive: true })
}

/** Waits for the scale, which is learned in the background after ingestion. */
async function untilScaled(url: string): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    const { headers } = await ask(url, `What is Fastify, asked ${tries} times?`)
    if (headers.get('rag-gate')?.includes('calibration=scaled') === true) return
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  throw new Error('The collection learned no scale within a minute')
}

/** The same questions over the neural index, lexically and with its cosine. */
async function overMeaning(documents: readonly { readonly id: string; readonly text: string }[]): Promise<void> {
  const splitter = createMarkdownSplitter()
  const passages: Passage[] = []
  for (const { id: documentId, text } of documents) {
    const { parts } = await splitter.split(text, 'markdown')
    passages.push(...parts.map((part, at) => ({ ...part, id: `${documentId}#${at}`, documentId })))
  }
  const lexicon = buildLexicon(
    passages.map(({ text }) => text),
    english,
  )
  const retriever = await overUpstash(passages, await openEncoder())
  const policy = balanced()
  const retrieval = { topK: 10, timeoutMs: 60_000 }
  const collection = { ...plainCollection({ tenant: 'default', id: 'default' }), lexiconId: 'lexicon' }
  const collections = { lexicon: async () => lexicon }
  for (const meaning of ['none', 'cosine'] as const) {
    const scale = await learnScale({ retriever, policy, passages, collection, collections, retrieval, meaning })
    const gate = gateOver(retriever, policy, { lexicon, scale })
    const isRead = scale.kind === 'scale' && scale.meaning !== undefined
    const heading = meaning === 'none' ? 'by words alone' : `with its cosine, which ${isRead ? 'is' : 'is not'} read`
    await report(`${passages.length} passages over a neural index, ${heading}`, async (question) => {
      const { verdict, documentIds } = await gate(question)
      return { refused: verdict === 'refuse', verdict, pages: documentIds }
    })
  }
  const asked = Object.values(QUESTIONS).flatMap((questions) =>
    questions.map(([question, page]) => ({
      question,
      answerable: page !== undefined,
      relevantIds: passages.filter(({ documentId }) => documentId === page).map(({ id }) => id),
    })),
  )
  const search = (question: string, topK: number): ReturnType<typeof retriever.retrieve> =>
    retriever.retrieve({
      tenant: 'default',
      collection: 'default',
      namespace: 'default',
      question,
      topK,
      signal: AbortSignal.timeout(60_000),
    })
  for (const errors of [0, 0.1, 0.2]) {
    const right: number[] = []
    for (let seed = 1; seed <= (errors === 0 ? 1 : DRAWS); seed++) {
      const reranker = reranking(standInReader(asked, errors, seed), { between: [0.1, 0.95] })
      const gate = benchGate({ lexicon, search }, { policy: balancedGraded(), reranker })
      let ofDraw = 0
      for (const { question, answerable } of asked) {
        const { decision } = await gate(question)
        if ((decision.verdict !== 'refuse') === answerable) ofDraw++
      }
      right.push(ofDraw)
    }
    const [least, most] = [Math.min(...right), Math.max(...right)]
    console.log(
      `\nA stand-in reader wrong about ${errors}: ${meanOf(right).toFixed(1)} of 40 right (${least} to ${most})`,
    )
  }
}

/** The result for a question, and the pages of the passages, best first. */
interface Judged {
  readonly refused: boolean
  readonly verdict: string
  readonly pages: readonly string[]
}

async function report(heading: string, judged: (question: string) => Promise<Judged>): Promise<void> {
  const rows: string[][] = []
  const wrong: string[] = []
  let right = 0
  for (const [kind, questions] of Object.entries(QUESTIONS)) {
    let found = 0
    let ofKind = 0
    for (const [question, page] of questions) {
      const { refused, verdict, pages } = await judged(question)
      if (page !== undefined && pages.slice(0, 3).includes(page)) found++
      if (refused === (page === undefined)) ofKind++
      else wrong.push(`- ${verdict}: ${question}`)
    }
    right += ofKind
    rows.push([kind, `${ofKind} of ${questions.length}`, questions[0]?.[1] === undefined ? '' : String(found)])
  }
  const { low, high } = binomialInterval(right, 40)
  console.log(`\n${heading}: ${right} of 40 verdicts right (95 % interval ${low.toFixed(2)}–${high.toFixed(2)})\n`)
  console.log(markdownTable(['questions', 'right verdicts', 'its page among the first three'], rows))
  console.log(`\n${wrong.join('\n')}`)
}
