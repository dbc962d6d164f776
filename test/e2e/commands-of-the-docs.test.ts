/** The commands of the documentation, run as they stand there: in order, page by page, against a gate on this machine. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { docsCorpus } from '../../scripts/docs-corpus.ts'
import { ROOT } from '../../scripts/local-gate.ts'
import { ingest } from '../../packages/cli/src/gate-client.ts'
import { examplesOf, PAGES } from '../docs/pages.ts'
import { formatVars } from '../../scripts/worker-settings.ts'
import { type BundledGate, startBundledGate } from './bundled-gate.ts'

const home = mkdtempSync(join(tmpdir(), 'hono-rag-gate-commands-'))
/** Where the commands are called: a clone, as far as they can tell. */
const clone = join(home, 'clone')
let gate: BundledGate

beforeAll(async () => {
  gate = await startBundledGate({ stateDirectory: join(home, 'state') })
  // What the commands ask about, of all that `npm start` ingests.
  await ingest(
    gate.url,
    gate.adminToken,
    docsCorpus().filter(({ id }) => id === 'docs/caching.md'),
  )
  for (const page of ['caching.md', 'dashboard.md']) cpSync(join(ROOT, 'docs', page), join(clone, 'docs', page))
  for (const folder of ['node_modules', 'packages', 'src']) symlinkSync(join(ROOT, folder), join(clone, folder))
  writeFileSync(join(clone, '.dev.vars'), formatVars({ ADMIN_TOKEN: gate.adminToken }))
})
afterAll(async () => {
  await gate.stop()
  rmSync(home, { recursive: true, force: true })
})

/** Calls that npm would pass on, without npm; and a `curl` that fails with what the gate answered. */
const SHELL = `set -e
npm() { [ "$1 $2 $3" = "run rag-gate --" ] && shift 3 && node_modules/.bin/node packages/cli/src/main.ts "$@"; }
curl() { command curl --silent --show-error --fail-with-body "$@"; echo; }
`

/** Runs commands in one shell. @returns all that they printed */
function run(commands: string): Promise<{ readonly ok: boolean; readonly output: string }> {
  const script = join(home, 'commands.sh')
  // What stands for an address, as it was printed.
  writeFileSync(script, SHELL + commands.replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):…/g, gate.url))
  return new Promise((resolve) => {
    const child = spawn('bash', [script], { cwd: clone, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
    child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
    child.once('exit', (status) => resolve({ ok: status === 0, output }))
  })
}

const blocksOf = (page: string): string[] => examplesOf(page, 'sh').map(({ code }) => code)
const SETTINGS = blocksOf('docs/getting-started.md').find((code) => code.startsWith('export GATE='))!

describe('the commands in', () => {
  test('getting-started.md ask, add a document, and find it', async () => {
    // What goes before is about another app: `init.deep.test.ts` runs it.
    const blocks = blocksOf('docs/getting-started.md')
    const others = blocks.slice(blocks.indexOf('npm start\n') + 1)
    expect(others.length).toBe(3)
    const { ok, output } = await run(others.join(''))
    expect(ok, output).toBe(true)
    expect(output).toContain('"status":"added","chunks":1')
    expect(output).toMatch(/"passages":\[\{[^}]*"text":"[^"]*The launch code is 7421\./)
  })

  test('command-line.md ingest a folder and ask about it', async () => {
    const [commands = ''] = blocksOf('docs/reference/command-line.md')
    const { ok, output } = await run(commands)
    expect(ok, output).toBe(true)
    expect(output).toMatch(/^handbook: 2 added, 0 changed/m)
    expect(output).toContain('Decision: ')
  })

  test.each([
    ['docs/reference/http-api.md', ['data: [DONE]', '"tenant":"acme"', '"by_verdict"']],
    ['docs/statistics.md', ['"decisions":[']],
    ['docs/cascades.md', ['"policy":"balanced-graded"']],
  ])('%s get the documented answers', async (page, expected) => {
    // Those that never end, and those with something of the reader's own in them, are not called here.
    const commands = blocksOf(page).filter(
      (code) => code.startsWith('curl ') && !code.includes('/live') && !code.replaceAll(/"\$.*?"/g, '').includes('"…"'),
    )
    const { ok, output } = await run(`${SETTINGS}export RAG_GATE_URL=$GATE\n${commands.join('')}`)
    expect(ok, output).toBe(true)
    for (const part of expected) expect(output).toContain(part)
  })

  test('all pages contain no fixed port', () => {
    const literal = PAGES.flatMap((page) =>
      blocksOf(page).flatMap((code) => code.split('\n').filter((line) => /(?:127\.0\.0\.1|localhost):\d/.test(line))),
    )
    expect(literal).toEqual([])
  })
})
