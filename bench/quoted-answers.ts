/**
 * Quoted answers to be read by eye: ingests a folder into a fresh local Worker with the command line, asks questions over
 * HTTP, and prints verdict, closest passages and answer of each, and how many there are of each kind.
 *
 *   npm run bench:quotes -- <folder> <questions>
 *
 * The questions are a text, one on each line, or a JSON file as in `bench/quoted-answers`: `answered` holds what the
 * folder answers, `unanswered` what it does not. Its `quotes`, where there are some, are for `bench/quotes-read.ts`.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ask, type AskReply } from '../packages/cli/src/gate-client.ts'
import { type LocalGate, ROOT, startLocalGate } from '../scripts/local-gate.ts'

const SHOWN_PASSAGES = 3

/** Questions by whether the documents answer them; `asked` where nobody said. */
type Questions = Readonly<Record<string, readonly string[]>>

function readQuestions(file: string): Questions {
  const text = readFileSync(file, 'utf8')
  if (!file.endsWith('.json')) return { asked: text.split('\n').filter((line) => line.trim() !== '') }
  const { answered, unanswered } = JSON.parse(text) as { answered: readonly string[]; unanswered: readonly string[] }
  return { answered, unanswered }
}

function ingestFolder(gate: LocalGate, folder: string): void {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'packages/cli/src/main.ts'), 'ingest', resolve(folder)], {
    env: { ...process.env, RAG_GATE_URL: gate.url, RAG_GATE_KEY: gate.adminToken },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  // 1 says that some files could not be read: they are named, and the others are there.
  if (status !== 0 && status !== 1) throw new Error(`rag-gate ingest ended with ${status}`)
}

/** What became of a question. */
function outcomeOf({ body: { refused, verdict, manner } }: AskReply): string {
  if (refused) return 'refused'
  return `${manner === 'closest' ? 'closest passage' : 'quoted'}, ${verdict}`
}

const [folder, questionFile] = process.argv.slice(2)
if (folder === undefined || questionFile === undefined) throw new Error('Which folder, and which file of questions?')
const questions = readQuestions(questionFile)
const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bench-'))
const gate = await startLocalGate({ stateDirectory })
try {
  ingestFolder(gate, folder)
  const counts = new Map<string, number>()
  for (const [kind, list] of Object.entries(questions)) {
    for (const [at, question] of list.entries()) {
      const reply = await ask(gate.url, question)
      if (reply.status !== 200) throw new Error(`"${question}" was answered with ${reply.status}`)
      const { answer, detail } = reply.body
      const outcome = outcomeOf(reply)
      const row = `${kind}: ${outcome}`
      counts.set(row, (counts.get(row) ?? 0) + 1)
      const passages = (detail?.chunks ?? []).slice(0, SHOWN_PASSAGES)
      const names = passages.map(
        ({ document_id: id, section }) => `${id}${section === undefined ? '' : ` › ${section}`}`,
      )
      const confidence = detail?.confidence.toFixed(2)
      console.log(
        `\n## ${kind} ${at + 1}. ${question}  (${outcome}, confidence ${confidence})\n${names.join(' | ')}\n\n${answer}`,
      )
    }
  }
  console.log(`\n${[...counts].map(([row, count]) => `${row.padEnd(36)} ${count}`).join('\n')}`)
} finally {
  await gate.stop()
  rmSync(stateDirectory, { recursive: true, force: true })
}
