/** Errors that pass: which are waited for, and which are reported at once. */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { afterEach, expect, it, vi } from 'vitest'
import { signalsOf } from '../fixtures/evidence.ts'
import { upstreamOfTests } from '../fixtures/scripted-upstream.ts'
import { pauseMs } from '../../packages/cli/src/gate-client.ts'
import { aFolder } from './folder.ts'
import { run } from './run.ts'

afterEach(() => void vi.restoreAllMocks())

const gate = upstreamOfTests()
const folder = aFolder()

function busy(response: ServerResponse, code: string, retryAfter: string): void {
  response.writeHead(429, { 'retry-after': retryAfter })
  response.end(JSON.stringify({ error: { code, message: 'Not now' } }))
}

/** A gate whose responses are errors that pass. @returns requests since then */
function failing(code: string, retryAfter: string): () => number {
  const before = gate().calls()
  gate().answerWith((response) => busy(response, code, retryAfter))
  return () => gate().calls() - before
}

it.each([['ingest'], ['eval'], ['keys', 'list']])('%s reports a spent budget without a retry', async (...args) => {
  const path = folder.put('labels.jsonl', '{"id":"a","text":"b","question":"Who?","answerable":true}')
  const calls = failing('budget_spent', '18631')
  const named = args.length === 1 ? [...args, path] : args
  expect(await run(named, { env: { RAG_GATE_URL: gate().url } })).toEqual({
    code: 1,
    out: '',
    notes: 'rag-gate: budget_spent: Not now\nIt is renewed at 00:00 UTC, that of a month on its first day.\n',
  })
  expect(calls()).toBe(1)
})

it('keys list reports a rate limit after four tries', async () => {
  const calls = failing('rate_limited', '0')
  const { code, notes } = await run(['keys', 'list'], { env: { RAG_GATE_URL: gate().url } })
  const again = 'rate_limited: Not now; trying again in 0 s\n'
  expect({ code, notes }).toEqual({ code: 1, notes: `${again.repeat(3)}rag-gate: rate_limited: Not now\n` })
  expect(calls()).toBe(4)
})

it('ingest sends again what was on a connection that broke', async () => {
  const path = folder.put('a.md', 'Alpha.')
  const page = JSON.stringify({ documents: [], next_cursor: null })
  const taken = { id: 'a.md', status: 'added', chunks: 1, chunks_written: 1, chunks_removed: 0, flags: [] }
  const reply = JSON.stringify({ corpus_version: 1, documents: [taken], chunks_to_remove: 0 })
  let tries = 0
  gate().answerWith((response, { method }) => {
    if (method === 'GET') response.end(page)
    else if (++tries < 2) response.destroy()
    else response.end(reply)
  })
  const { code, notes } = await run(['ingest', path], { env: { RAG_GATE_URL: gate().url } })
  const again = `The connection to ${gate().url} broke off before a response; trying again in 1 s\n`
  expect({ code, notes, tries }).toEqual({ code: 0, notes: again, tries: 2 })
})

it('eval reports the time of the try that was answered', async () => {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  let tries = 0
  gate().answerWith((response) => {
    nowMs += ++tries < 3 ? 60_000 : 30
    if (tries < 3) return busy(response, 'rate_limited', '0')
    const detail = { confidence: 1, signals: signalsOf({}), gates: [], findings: [], chunks: [] }
    response.end(JSON.stringify({ verdict: 'pass', reason_code: 'passed', detail }))
  })
  const labels = folder.put('labels.jsonl', '{"question":"Who?","answerable":true}')
  const results = `${folder.path}/results.jsonl`
  expect(await run(['eval', labels, '--results', results], { env: { RAG_GATE_URL: gate().url } })).toMatchObject({
    code: 0,
  })
  expect({ tries, ...(JSON.parse(readFileSync(results, 'utf8')) as object) }).toMatchObject({ tries: 3, ms: 30 })
})

it.each([
  [undefined, 4000],
  ['60', 60_000],
  ['61', undefined],
  ['-5', 1000],
  ['soon', 1000],
])('the pause for Retry-After: %s is %s ms at the third try', (retryAfter, ms) => {
  const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter })
  expect(pauseMs({ headers }, 3)).toBe(ms)
})
