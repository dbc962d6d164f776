/**
 * `npm start`: the gate on this machine, with the project's own docs as its corpus and three questions answered.
 *
 * PORT chooses the first port to try; RAG_GATE_HOME another folder for state and secrets.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ask, type AskReply, type GateDocument, ingest } from '../src/cli/gate-client.ts'
import { type LocalGate, ROOT, startLocalGate } from './local-gate.ts'

const home = process.env['RAG_GATE_HOME'] ?? ROOT
const varsFile = join(home, '.dev.vars')

const QUESTIONS = [
  'How long is a strong answer cached?',
  'What is the weather in Chicago?',
  'How long is a strong answer cached?',
]

function sampleCorpus(): GateDocument[] {
  const directory = join(ROOT, 'docs')
  return readdirSync(directory)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(directory, name), 'utf8')
      return { id: `docs/${name}`, title: /^# (.+)$/m.exec(text)?.[1] ?? name, source: `docs/${name}`, text }
    })
}

function showReply(question: string, { headers, body }: AskReply): string {
  const gate = headers.get('rag-gate') ?? ''
  const cache = headers.get('cache-status') ?? ''
  const age = headers.get('age')
  const lines = [
    `  ? ${question}`,
    `    ${body.verdict.toUpperCase()} · ${body.band} · ${cache.replace('rag-gate; ', '')}${age === null ? '' : ` · age ${age} s`}`,
    `    ${body.answer.replaceAll('\n', ' ')}`,
  ]
  if (body.refused) lines.push(`    Reason: ${body.refusal_reason ?? /reason=(\w+)/.exec(gate)?.[1] ?? ''}`)
  for (const { number, document_id: id, section } of body.sources.slice(0, 3)) {
    lines.push(`    [${number}] ${id}${section === undefined ? '' : ` · ${section}`}`)
  }
  return lines.join('\n')
}

async function prepare(gate: LocalGate): Promise<void> {
  const reply = await ingest(gate.url, gate.adminToken, sampleCorpus())
  const fresh = reply.documents.filter(({ status }) => status !== 'unchanged')
  const chunks = reply.documents.reduce((sum, document) => sum + document.chunks, 0)
  console.log(
    fresh.length === 0
      ? `The sample corpus is in place: ${reply.documents.length} documents, ${chunks} chunks, version ${reply.corpus_version}`
      : `Ingested ${fresh.length} of ${reply.documents.length} documents (${chunks} chunks in all), version ${reply.corpus_version}`,
  )
  console.log('\nThree questions, asked just now:\n')
  for (const question of QUESTIONS) console.log(`${showReply(question, await ask(gate.url, question))}\n`)
}

function whatNext({ url }: LocalGate): string {
  const vars = varsFile.startsWith(ROOT) ? relative(ROOT, varsFile) : varsFile
  return `The gate is up: ${url}    (Ctrl-C stops it)

Try next:
  the page        ${url}/
  a question      curl ${url}/ask -H 'content-type: application/json' -d '{"question":"When is a question refused?"}'
  your documents  curl ${url}/v1/documents -H "authorization: Bearer $ADMIN_TOKEN" -H 'content-type: application/json' \\
                    -d '{"documents":[{"id":"hello","text":"# Hello\\n\\nThe launch code is 7421."}]}'
  a folder        RAG_GATE_URL=${url} RAG_GATE_KEY=$ADMIN_TOKEN npm run rag-gate -- ingest <folder>
  statistics      curl ${url}/v1/stats -H "authorization: Bearer $ADMIN_TOKEN"

ADMIN_TOKEN is in ${vars}: export $(grep ADMIN_TOKEN ${vars} | tr -d '"')
A model: put LLM_BASE_URL, LLM_API_KEY and LLM_MODEL there too; without them answers are quoted from the documents.`
}

const port = Number(process.env['PORT'] ?? 8787)
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error(`PORT must be a whole number from 1 to 65535, not "${process.env['PORT']}"`)
  process.exit(1)
}

console.log('Starting the gate …')
let stopping = false
const starting = startLocalGate({ stateDirectory: join(home, '.wrangler', 'state'), varsFile, port, say: console.log })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (stopping) return
    stopping = true
    void starting.then((gate) => gate.stop()).finally(() => process.exit(0))
  })
}
try {
  const gate = await starting
  await prepare(gate)
  console.log(whatNext(gate))
  await gate.stopped
  if (!stopping) {
    console.error('The Worker stopped by itself.')
    process.exit(1)
  }
} catch (thrown) {
  if (!stopping) {
    console.error(thrown instanceof Error ? thrown.message : thrown)
    await starting.then(
      (gate) => gate.stop(),
      () => undefined,
    )
    process.exit(1)
  }
}
