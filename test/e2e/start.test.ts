import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createModel } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../scripts/local-gate.ts'
import { SETTING_NAMES } from '../../workers/gate/settings.ts'
import { DEEP } from '../deep-run.ts'
import { OFF_TOPIC_QUESTIONS } from '../fixtures/off-topic.ts'

const home = mkdtempSync(join(tmpdir(), 'hono-rag-gate-start-'))
const PORT = 8940
/** What is exported where the tests run is none of their business. */
const NOTHING_EXPORTED = Object.fromEntries(SETTING_NAMES.map((name) => [name, '']))
let busy: Server

/** Runs `npm start` until it says that the gate is up, then stops it. @returns all that it printed */
async function startAndStop(
  stop: (npm: number) => void,
  whileUp: (url: string, output: () => string) => Promise<void> = async () => undefined,
  folder = home,
  exported: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { ...process.env, ...NOTHING_EXPORTED, ...exported, RAG_GATE_HOME: folder, PORT: String(PORT) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  const up = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString()
      if (output.includes('\nA model: ')) resolve()
    })
    child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
    child.once('exit', () => reject(new Error(`npm start ended:\n${output}`)))
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await up
  const url = /The gate is up: (\S+)/.exec(output)?.[1] ?? ''
  try {
    await whileUp(url, () => output)
  } finally {
    stop(child.pid ?? 0)
    await exited
  }
  await expect
    .poll(() =>
      fetch(url)
        .then(() => 'answers')
        .catch(() => 'gone'),
    )
    .toBe('gone')
  return output
}

/** Which of twenty questions about other things the docs are said to answer, under a policy. */
async function answeredOffTopic(url: string, policy: string): Promise<readonly string[]> {
  const [, token] = /ADMIN_TOKEN="?([^"\n]+)/.exec(readFileSync(join(home, '.dev.vars'), 'utf8')) ?? []
  const send = async (path: string, method: string, body: object): Promise<{ readonly refused?: boolean }> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
    expect(response.status).toBe(200)
    // Of this Worker's own answers.
    return (await response.json()) as { readonly refused?: boolean }
  }
  await send('/v1/policy', 'PUT', { policy })
  const answered: string[] = []
  for (const question of OFF_TOPIC_QUESTIONS) {
    const { refused } = await send('/ask', 'POST', { question })
    if (refused === false) answered.push(question)
  }
  await send('/v1/policy', 'PUT', { policy: null })
  return answered
}

/** As a terminal does: the whole group is told. */
const pressCtrlC = (npm: number): void => void process.kill(-npm, 'SIGINT')

/** As a supervisor does: npm alone is told. */
const terminate = (npm: number): void => void process.kill(npm, 'SIGTERM')

beforeAll(async () => {
  busy = createServer()
  await new Promise<void>((resolve) => busy.listen(PORT, '127.0.0.1', resolve))
})

afterAll(async () => {
  await new Promise((resolve) => busy.close(resolve))
  await sleep(100)
  rmSync(home, { recursive: true, force: true })
})

describe('npm start', () => {
  test('ingests the docs, answers three questions, and uses the next port when its own is busy', async () => {
    const output = await startAndStop(pressCtrlC, async (url) => {
      expect(url).toBe(`http://127.0.0.1:${PORT + 1}`)
      expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' })
      expect(await (await fetch(url)).text()).toContain('<title>')
      expect((await answeredOffTopic(url, 'balanced')).length).toBe(0)
      // It takes one word that one passage alone has: docs/reference/policies.md says how often.
      if (DEEP) expect((await answeredOffTopic(url, 'two-tier')).length).toBeLessThanOrEqual(10)
    })
    expect(output).toContain(`Port ${PORT} is taken by another program: the gate takes ${PORT + 1}.`)
    expect(output.split(`:${PORT + 1}/`).length).toBeGreaterThan(4)
    expect(output).not.toContain(`:${PORT}/`)
    expect(output).not.toContain('WARNING')
    expect(output).toMatch(/Ingested (\d+) of \1 documents .* version 1\n/)
    expect(output).toMatch(/\? How long is a strong answer cached\?\n {4}PASS · \S+ · fwd=miss\n/)
    expect(output).toMatch(/\? What is the weather in Chicago\?\n {4}REFUSE · very-low · fwd=miss\n/)
    expect(output).toMatch(/\? How long is a strong answer cached\?\n {4}PASS · \S+ · hit; ttl=\d+ · age \d+ s\n/)
  })

  test.runIf(DEEP)(
    'a second time ingests nothing and keeps the version, and a model answers, also for observed refusals',
    async () => {
      const model = createModel((_, response) => {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ choices: [{ message: { content: 'A day [1].' }, finish_reason: 'stop' }] }))
      })
      await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
      // A server that listens on a port has an address of this form.
      const baseUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`
      const exported = { LLM_BASE_URL: baseUrl, LLM_API_KEY: 'key', LLM_MODEL: 'some-model', GATE_MODE: 'observe' }
      const output = await startAndStop(terminate, undefined, home, exported)
      model.close()
      expect(output).toMatch(/\? How long is a strong answer cached\?\n {4}PASS · \S+ · fwd=miss\n {4}A day \[1\]\./)
      expect(output).toMatch(
        /\? What is the weather in Chicago\?\n {4}WOULD REFUSE · very-low · fwd=miss\n {4}A day \[1\]\./,
      )
      expect(output).toContain(`A model: some-model at ${baseUrl} writes the answers.`)
      expect(output).toMatch(/The sample corpus is in place: \d+ documents, \d+ chunks, version 1\n/)
    },
  )

  test.runIf(DEEP)('sets a database with an older schema and its index aside, and starts with a new one', async () => {
    writeFileSync(join(home, '.wrangler', 'state', 'schema'), 'another schema')
    const output = await startAndStop(pressCtrlC)
    expect(output).toContain('The local database had an older schema; it was set aside in')
    expect(output).toMatch(/Ingested (\d+) of \1 documents .* version 1\n/)
  })

  test.runIf(DEEP)(
    'prefers settings from the environment to those of the file, and reports a model that does not answer',
    async () => {
      const { baseUrl, folder } = await homeWithDeadModel()
      let said = ''
      const exported = { LLM_MODEL: 'other-model', ADMIN_TOKEN: 'exported-'.repeat(4) }
      const output = await startAndStop(
        pressCtrlC,
        async (url, soFar) => {
          expect((await fetch(`${url}/health`)).status).toBe(200)
          await expect.poll(soFar).toContain('[rag-gate] llm_unavailable request_id=')
          said = soFar()
        },
        folder,
        exported,
      )
      expect(output).toContain('From the environment: ADMIN_TOKEN, LLM_MODEL\n')
      expect(output).toMatch(/Ingested (\d+) of \1 documents/)
      expect(output).toContain('ADMIN_TOKEN is in the environment\n')
      expect(output).toMatch(/\? How long is a strong answer cached\?\n {4}ERROR · llm_unavailable · /)
      expect(output).toMatch(/\? What is the weather in Chicago\?\n {4}REFUSE · /)
      expect(output).toContain(`The model other-model at ${baseUrl} gave no answer`)
      expect(output).toContain('The gate is up: ')
      expect(said).not.toContain('TypeError')
      rmSync(folder, { recursive: true, force: true })
    },
  )

  const WRONG = [
    ['LLM_BASE_URL="http://127.0.0.1:9/v1"\n', 'go together: LLM_API_KEY, LLM_MODEL is missing'],
    ['LLM_BASE_URL="http://127.0.0.1:9/v1"\nLLM_API_KEY="key"\nLLM_MODEL=""\n', 'LLM_MODEL must be'],
    ['UPSTASH_VECTOR_REST_URL="http://127.0.0.1:9"\n', 'go together: UPSTASH_VECTOR_REST_TOKEN is missing'],
    ['RERANK_FROM="0.2"\n', 'RERANK_FROM needs RERANKER'],
  ] as const
  test.each(DEEP ? WRONG : WRONG.slice(0, 1))(
    'reports missing or wrong settings instead of waiting: %s',
    async (settings, advice) => {
      const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-start-'))
      writeFileSync(join(folder, '.dev.vars'), settings)
      await expect(startAndStop(pressCtrlC, undefined, folder)).rejects.toThrow(advice)
      rmSync(folder, { recursive: true, force: true })
    },
  )
})

/** A home whose settings name a model at a port where nothing listens. */
async function homeWithDeadModel(): Promise<{ readonly baseUrl: string; readonly folder: string }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-start-'))
  const baseUrl = `http://127.0.0.1:${port}/v1`
  writeFileSync(join(folder, '.dev.vars'), `LLM_BASE_URL="${baseUrl}"\nLLM_API_KEY="key"\nLLM_MODEL="some-model"\n`)
  return { baseUrl, folder }
}
