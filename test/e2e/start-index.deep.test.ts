/** `npm run start:index` as a user runs it. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Index } from '@upstash/vector'
import { afterAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../scripts/local-gate.ts'

const home = mkdtempSync(join(tmpdir(), 'hono-rag-gate-start-index-'))
const settings = join(home, 'indexes.json')

interface Served {
  readonly name: string
  readonly url: string
  readonly token: string
}

function startIndex(indexes: unknown) {
  writeFileSync(settings, typeof indexes === 'string' ? indexes : JSON.stringify(indexes))
  const child = spawn('npm', ['run', 'start:index', '--', settings], {
    cwd: ROOT,
    env: { ...process.env, VECTOR_INDEX_HOME: join(home, 'state'), PORT: '8980' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const up = new Promise<string>((resolve) => {
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString()
      if (output.includes('docs/vector-index.md')) resolve(output)
    })
    child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
  })
  return { child, ended, up, output: () => output }
}

/** Starts, does something with what is served, and presses Ctrl-C. */
async function whileUp(indexes: unknown, work: (served: readonly Served[]) => Promise<void>): Promise<void> {
  const { child, ended, up, output } = startIndex(indexes)
  const shown = await Promise.race([up, ended.then(() => Promise.reject(new Error(output())))])
  const served = Array.from(shown.matchAll(/^ {2}(\S+\/indexes\/(\S+)) {4}token (\S+)$/gm), ([, url, name, token]) => ({
    name: name ?? '',
    url: url ?? '',
    token: token ?? '',
  }))
  try {
    await work(served)
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGINT')
    await ended
  }
}

const clientOf = ({ url, token }: Served) => new Index({ url, token, retry: false, enableTelemetry: false })

afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('npm run start:index', () => {
  test('prints a URL and a token for each index, which stay valid at the next start', async () => {
    const indexes = { texts: {}, vectors: { indexType: 'DENSE', dimension: 2 } }
    let first: readonly Served[] = []
    await whileUp(indexes, async (served) => {
      first = served
      expect(served.map(({ name }) => name)).toEqual(['texts', 'vectors'])
      await clientOf(served[0]!).upsert({ id: 'a', data: 'The bridge is red' })
      await clientOf(served[1]!).upsert({ id: 'b', vector: [1, 0] })
    })
    // Another dimension for an index that is filled: it says so, and the other one goes on.
    await whileUp({ ...indexes, vectors: { indexType: 'DENSE', dimension: 3 } }, async (served) => {
      expect(served).toEqual(first)
      expect(await clientOf(served[0]!).fetch(['a'])).toEqual([{ id: 'a' }])
      await expect(clientOf(served[1]!).info()).rejects.toThrow(
        'holds vectors made for DENSE, 2 COSINE no model, not for DENSE, 3 COSINE no model',
      )
    })
  })

  test.each([
    [{ a: { dimension: 0 } }, 'VECTOR_INDEXES.a.dimension must be a whole number from 1 to 5376'],
    [{ 'A b': {} }, 'the name "A b" must be'],
    ['{', 'cannot be read as JSON'],
  ])('does not start with %j', async (indexes, message) => {
    const { ended, output } = startIndex(indexes)
    expect(await ended).toBe(1)
    expect(output()).toContain(message)
  })
})
