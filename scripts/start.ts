/**
 * `npm start`: runs the gate locally with the project's docs as its corpus, and asks three questions.
 *
 * PORT sets the first port to try; RAG_GATE_HOME the folder for state and secrets. Settings of the Worker come from the
 * environment, else from `.dev.vars`.
 */
import { join, relative } from 'node:path'
import { ask, type AskReply, ingest } from '../packages/cli/src/gate-client.ts'
import { CommandError } from '../packages/cli/src/command-error.ts'
import { docsCorpus } from './docs-corpus.ts'
import {
  type LocalGate,
  portFromEnvironment,
  refuseArguments,
  ROOT,
  serveUntilStopped,
  startLocalGate,
} from './local-gate.ts'
import { exportedSettings } from './worker-settings.ts'

refuseArguments()
const home = process.env['RAG_GATE_HOME'] ?? ROOT
const varsFile = join(home, '.dev.vars')
const exported = exportedSettings()

const QUESTIONS = [
  'How long is a strong answer cached?',
  'What is the weather in Chicago?',
  'How long is a strong answer cached?',
]

/** An error response of the gate. */
interface GateError {
  readonly code: string
  readonly message: string
}

/** The error in a reply, if it is one. */
function errorOf({ status, body }: AskReply): GateError | undefined {
  // The gate's own error format; other responses that are not answers are described by their status.
  const { error } = body as { error?: GateError }
  return status === 200 ? undefined : (error ?? { code: `status ${status}`, message: 'the gate sent no answer' })
}

function showReply(question: string, reply: AskReply): string {
  const error = errorOf(reply)
  if (error !== undefined) return `  ? ${question}\n    ERROR · ${error.code} · ${error.message}`
  const { headers, body } = reply
  const gate = headers.get('rag-gate') ?? ''
  const cache = headers.get('cache-status') ?? ''
  const age = headers.get('age')
  const lines = [
    `  ? ${question}`,
    `    ${verdictOf(body)} · ${body.band} · ${cache.replace('rag-gate; ', '')}${age === null ? '' : ` · age ${age} s`}`,
    `    ${body.answer.replaceAll('\n', ' ')}`,
  ]
  if (body.refused) lines.push(`    Reason: ${body.refusal_reason ?? /reason=(\w+)/.exec(gate)?.[1] ?? ''}`)
  for (const { number, document_id: id, section } of (body.sources ?? []).slice(0, 3)) {
    lines.push(`    [${number}] ${id}${section === undefined ? '' : ` · ${section}`}`)
    const passage = body.passages?.[number - 1]
    if (passage !== undefined) lines.push(`        ${shortened(passage.text)}`)
  }
  return lines.join('\n')
}

/** In `observe` mode a question to be refused is answered. */
function verdictOf({ verdict, refused }: AskReply['body']): string {
  return verdict === 'refuse' && !refused ? 'WOULD REFUSE' : verdict.toUpperCase()
}

/** The start of a passage on one line, without table rules. */
function shortened(text: string): string {
  const line = text.replaceAll(/(?:\||(?<=\|)-{3,}|\s)+/g, ' ')
  return line.length > 120 ? `${line.slice(0, 120).replace(/\s\S*$/, '')} …` : line
}

/** Ingests the docs. @returns whether there is anything to ask about */
async function ingestSamples(gate: LocalGate): Promise<boolean> {
  try {
    const reply = await ingest(gate.url, gate.adminToken, docsCorpus())
    const fresh = reply.documents.filter(({ status }) => status !== 'unchanged')
    const chunks = reply.documents.reduce((sum, document) => sum + document.chunks, 0)
    console.log(
      fresh.length === 0
        ? `The sample corpus is in place: ${reply.documents.length} documents, ${chunks} chunks, version ${reply.corpus_version}`
        : `Ingested ${fresh.length} of ${reply.documents.length} documents (${chunks} chunks in all), version ${reply.corpus_version}`,
    )
    return true
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown
    console.error(`The sample corpus was not ingested: ${thrown.message}\n`)
    return false
  }
}

/** Asks the sample questions. @returns whether each was answered or refused */
async function askSamples(gate: LocalGate): Promise<boolean> {
  console.log('\nThree questions, asked just now:\n')
  const failed = new Map<string, GateError>()
  for (const question of QUESTIONS) {
    if (failed.has(question)) {
      console.log(`  ? ${question}\n    Not asked again: it was to show the answer from the cache.\n`)
      continue
    }
    const reply = await ask(gate.url, question)
    const error = errorOf(reply)
    if (error !== undefined) failed.set(question, error)
    console.log(`${showReply(question, reply)}\n`)
  }
  const [error] = failed.values()
  if (error !== undefined) console.error(`${adviceFor(error, gate)}\n`)
  return error === undefined
}

/** The remedy for an error. */
function adviceFor({ code }: GateError, { model }: LocalGate): string {
  if (model === undefined || !code.startsWith('llm_')) {
    return 'The gate runs all the same. What the Worker says about the error is printed here too.'
  }
  return `The model ${model.name} at ${model.baseUrl} gave no answer (${LLM_FAULTS[code] ?? code}).
The gate runs all the same: it retrieves, judges and refuses, and questions that pass end in this error.
Correct LLM_BASE_URL, LLM_API_KEY and LLM_MODEL ${placeOf('LLM_BASE_URL', 'LLM_API_KEY', 'LLM_MODEL')} and start again, or remove them: then search results answer.`
}

const LLM_FAULTS: Readonly<Record<string, string>> = {
  llm_unavailable: 'it cannot be reached, or failed',
  llm_timeout: 'it did not answer in time',
  llm_misconfigured: 'it turned the request away: address, key or model name is wrong',
  llm_bad_response: 'what it sent is not what an OpenAI-compatible endpoint sends',
}

function varsPath(): string {
  return varsFile.startsWith(ROOT) ? relative(ROOT, varsFile) : varsFile
}

/** Where settings are configured. */
function placeOf(...names: readonly string[]): string {
  const places = names.map((name) => (exported[name] === undefined ? `in ${varsPath()}` : 'in the environment'))
  return [...new Set(places)].join(' and ')
}

function whatNext({ url, model }: LocalGate, answered: boolean): string {
  const vars = varsPath()
  return `The gate is up: ${url}    (Ctrl-C stops it)

Try next:
  the page        ${url}/
  the dashboard   ${url}/v1/dashboard    (its token is ADMIN_TOKEN)
  a question      curl ${url}/ask -H 'content-type: application/json' -d '{"question":"How do I purge cached answers?"}'
  your documents  curl ${url}/v1/documents -H "authorization: Bearer $ADMIN_TOKEN" -H 'content-type: application/json' \\
                    -d '{"documents":[{"id":"hello","text":"# Hello\\n\\nThe launch code is 7421."}]}'
  a folder        RAG_GATE_URL=${url} RAG_GATE_KEY=$ADMIN_TOKEN npm run rag-gate -- ingest <folder>
  statistics      curl ${url}/v1/stats -H "authorization: Bearer $ADMIN_TOKEN"

Questions in the words of the documents are found; everyday words take a neural index: docs/your-own-index.md
ADMIN_TOKEN is ${placeOf('ADMIN_TOKEN')}${exported['ADMIN_TOKEN'] === undefined ? `: export $(grep ADMIN_TOKEN ${vars} | tr -d '"')` : ''}
${
  model === undefined
    ? `A model: put LLM_BASE_URL, LLM_API_KEY and LLM_MODEL into ${vars}, or export them; without them the answer is the passages that were found.`
    : `A model: ${model.name} at ${model.baseUrl} ${answered ? 'writes the answers.' : 'is to write the answers: see above.'}`
}`
}

const port = portFromEnvironment(8787)
console.log('Starting the gate …')
if (Object.keys(exported).length > 0) console.log(`From the environment: ${Object.keys(exported).join(', ')}`)
const starting = startLocalGate({
  stateDirectory: join(home, '.wrangler', 'state'),
  varsFile,
  vars: exported,
  // So that the local dashboard shows the text of refused questions.
  defaults: { STORE_QUESTIONS_DAYS: '7' },
  port,
  say: console.log,
  onOutput: (text) => process.stderr.write(text),
})
await serveUntilStopped(starting, async (gate) => {
  const answered = (await ingestSamples(gate)) && (await askSamples(gate))
  console.log(whatNext(gate, answered))
  // The local runtime does not run cron triggers by itself.
  const fire = (): void => void fetch(`${gate.url}/cdn-cgi/local/scheduled`).catch(() => undefined)
  fire()
  setInterval(fire, 15 * 60_000).unref()
})
