/**
 * The time of the ready Worker's first answer after a minute without requests, compared with the following answers:
 * `npm start` over 50,000 passages in the word index.
 *
 *   npm run bench -- rest [-- passages [rests]]
 *
 * All questions differ, so none comes from the cache. Before the first rest, all passages are ingested through `POST
 * /v1/documents`, one document each. Median, minimum and maximum; CPU time is workerd's.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { anyPort, freePort, ROOT, signalGroup, stopGroup } from '../scripts/local-gate.ts'
import { markdownTable } from './markdown-table.ts'
import { haveData, passagesOf, questionsAbout } from './word-index/passages.ts'
import { workerdCpuMs } from './workerd-cpu.ts'

const SEED = 20_261_127
const REST_MS = 60_000
const WARM = 20
const AT_ONCE = 1000
const LONGEST_START_MS = 3 * 60_000

if (!haveData()) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const [passages = 50_000, rests = 5] = process.argv.slice(2).map(Number)

interface Took {
  readonly ms: number
  readonly cpuMs: number
}

async function started(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (piece: Buffer): void => {
      output += piece.toString()
      const [, url] = /The gate is up: (\S+)/.exec(output) ?? []
      if (url !== undefined) resolve(url)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', () => reject(new Error(`npm start ended:\n${output}`)))
    setTimeout(() => reject(new Error(`npm start took too long:\n${output}`)), LONGEST_START_MS).unref()
  })
}

async function post(url: string, body: unknown, token?: string): Promise<Took> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const [began, cpu] = [performance.now(), workerdCpuMs()]
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 300)}`)
  return { ms: performance.now() - began, cpuMs: workerdCpuMs() - cpu }
}

function shown(took: readonly Took[], of: keyof Took): string {
  const times = took.map((each) => each[of]).sort((a, b) => a - b)
  return `${times[times.length >> 1]!.toFixed(0)} (${times[0]!.toFixed(0)}–${times.at(-1)!.toFixed(0)})`
}

const home = mkdtempSync(join(tmpdir(), 'hono-rag-gate-rest-'))
const port = await freePort(anyPort())
const child = spawn('npm', ['start'], {
  cwd: ROOT,
  env: { ...process.env, RAG_GATE_HOME: home, PORT: String(port) },
  stdio: ['ignore', 'pipe', 'pipe'],
  detached: true,
})
const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
process.once('exit', () => signalGroup(child, 'SIGKILL'))
try {
  const url = await started(child)
  const [, token = ''] = /ADMIN_TOKEN="?([^"\n]+)/.exec(readFileSync(join(home, '.dev.vars'), 'utf8')) ?? []
  const documents = passagesOf(passages, SEED).map(({ id, text }) => ({ id, text }))
  const began = performance.now()
  for (let at = 0; at < passages; at += AT_ONCE) {
    const body = { collection: 'large', documents: documents.slice(at, at + AT_ONCE) }
    await post(`${url}/v1/documents`, body, token)
  }
  console.error(`${Math.round(passages / ((performance.now() - began) / 1000))} passages a second`)
  const questions = [...new Set(questionsAbout(4 * rests * WARM, SEED))]
  const ask = () => post(`${url}/ask`, { collection: 'large', question: questions.pop() })
  const [first, warm]: [Took[], Took[]] = [[], []]
  for (let rest = 0; rest < rests; rest++) {
    await sleep(REST_MS)
    first.push(await ask())
    for (let at = 0; at < WARM; at++) warm.push(await ask())
    console.error(`first ${first.at(-1)!.ms.toFixed(0)} ms, ${shown(warm.slice(-WARM), 'ms')} then`)
  }
  const rows = Object.entries({ 'after a minute': first, 'right after it': warm }).map(([name, took]) => [
    name,
    String(took.length),
    shown(took, 'ms'),
    shown(took, 'cpuMs'),
  ])
  console.log(markdownTable([`${passages.toLocaleString('en')} passages`, 'questions', 'ms', 'CPU, ms'], rows))
} finally {
  await stopGroup(child, exited)
  rmSync(home, { recursive: true, force: true })
}
