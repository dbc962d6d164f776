import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../scripts/local-gate.ts'

const home = mkdtempSync(join(tmpdir(), 'hono-rag-gate-start-'))
const PORT = 8940
let busy: Server

/** Runs `npm start` until it says that the gate is up, then stops it. */
async function startAndStop(
  stop: (npm: number) => void,
  whileUp: (url: string) => Promise<void> = async () => undefined,
): Promise<string> {
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { ...process.env, RAG_GATE_HOME: home, PORT: String(PORT) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  const up = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString()
      if (output.includes('A model: put')) resolve()
    })
    child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
    child.once('exit', () => reject(new Error(`npm start ended:\n${output}`)))
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await up
  const url = /The gate is up: (\S+)/.exec(output)?.[1] ?? ''
  try {
    await whileUp(url)
  } finally {
    stop(child.pid ?? 0)
    await exited
  }
  await expect
    .poll(
      () =>
        fetch(url)
          .then(() => 'answers')
          .catch(() => 'gone'),
      { timeout: 10_000 },
    )
    .toBe('gone')
  return output
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
  test('ingests the docs, answers three questions, and takes the next port when its own is busy', async () => {
    const output = await startAndStop(pressCtrlC, async (url) => {
      expect(url).toBe(`http://127.0.0.1:${PORT + 1}`)
      expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' })
      expect(await (await fetch(url)).text()).toContain('<title>')
    })
    expect(output).toMatch(/Ingested (\d+) of \1 documents .* version 1\n/)
    expect(output).toMatch(/\? How long is a strong answer cached\?\n {4}PASS · \S+ · fwd=miss\n/)
    expect(output).toMatch(/\? What is the weather in Chicago\?\n {4}REFUSE · very-low · fwd=miss\n/)
    expect(output).toMatch(/\? How long is a strong answer cached\?\n {4}PASS · \S+ · hit; ttl=\d+ · age \d+ s\n/)
  })

  test('a second time ingests nothing and leaves the version alone', async () => {
    const output = await startAndStop(terminate)
    expect(output).toMatch(/The sample corpus is in place: \d+ documents, \d+ chunks, version 1\n/)
  })

  test('sets a database of an older schema aside, with its index, and begins anew', async () => {
    writeFileSync(join(home, '.wrangler', 'state', 'schema'), 'another schema')
    const output = await startAndStop(pressCtrlC)
    expect(output).toContain('The local database had an older schema; it was set aside in')
    expect(output).toMatch(/Ingested (\d+) of \1 documents .* version 1\n/)
  })
})
