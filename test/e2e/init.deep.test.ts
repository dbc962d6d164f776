/** `rag-gate init` as getting started has it: a fresh app, the packages as npm packs them, and a route that is gated. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyPort, collectOutput, freePort, ROOT, signalGroup, stopGroup } from '../../scripts/local-gate.ts'
import { examplesOf } from '../docs/pages.ts'
import { packPackages, typeCheck } from './consumer/project.ts'

const home = mkdtempSync(join(tmpdir(), 'hono-rag-gate-init-'))
const MODULES = join(ROOT, 'node_modules')
const [INSTALL = '', USE = ''] = examplesOf('docs/getting-started.md', 'sh').map(({ code }) => code)

beforeAll(() => {
  for (const tarball of packPackages().values()) copyFileSync(tarball, join(home, basename(tarball)))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** As `npm create hono` and `npm create cloudflare` write them. */
const APPS = {
  'a Hono app': {
    'wrangler.jsonc': `{
  "$schema": "node_modules/wrangler/config-schema.json",
  "name": "shop",
  "main": "src/index.ts",
  "compatibility_date": "2026-01-01"
  // "compatibility_flags": [
  //   "nodejs_compat"
  // ],
}
`,
    'src/index.ts': `import { Hono } from 'hono'

const app = new Hono()

app.get('/', (c) => {
  return c.text('Hello!')
})

export default app
`,
  },
  'a Worker without Hono': {
    'wrangler.toml': `name = "shop"\nmain = "src/index.ts"\ncompatibility_date = "2026-01-01"\n`,
    'src/index.ts': `export default {
  async fetch(): Promise<Response> {
    return new Response('Hello!')
  },
} satisfies ExportedHandler
`,
  },
}

const ENV = {
  ...process.env,
  // The Node of this project, and no npm that it runs under.
  PATH: `${join(MODULES, '.bin')}:${process.env['PATH']}`,
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

function shell(cwd: string, commands: string): { readonly ok: boolean; readonly output: string } {
  const script = `set -e
    npm() { command npm "$@" --offline --no-install-links --no-audit --no-fund --loglevel=error --ignore-scripts; }
    ${commands}`
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd, env: ENV, encoding: 'utf8' })
  return { ok: status === 0, output: `${stdout}\n${stderr}` }
}

/** Packages of the registry, as they stand in this checkout. */
const linked = (...names: string[]): string => names.map((name) => join(MODULES, ...name.split('/'))).join(' ')

/** The commands with what this machine has instead: tarballs that are packed, packages that are there, a yes. */
function onThisMachine(commands: string): string {
  const [pack = '', ...others] = commands.split('\n')
  expect(pack).toContain('npm pack ./dist/npm/*')
  return others
    .join('\n')
    .replaceAll('/tmp/', `${home}/`)
    .replace('drizzle-orm entities markdown-it', linked('drizzle-orm', 'entities', 'markdown-it'))
    .replace('rag-gate init', 'rag-gate init --yes')
    .replace('npx wrangler dev\n', '')
}

async function serve(folder: string): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const port = await freePort(anyPort())
  const inspector = await freePort(port + 10_000)
  const address = ['--ip', '127.0.0.1', '--port', String(port), '--inspector-port', String(inspector)]
  const child = spawn('npx', ['wrangler', 'dev', ...address], { cwd: folder, env: ENV, detached: true })
  process.once('exit', () => signalGroup(child, 'SIGKILL'))
  const output = collectOutput(child)
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    const answered = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (answered) return { url, child }
    if (tries === 300 || child.exitCode !== null) throw new Error(output())
    await sleep(200)
  }
}

// Two installs, a migration, a Worker: a minute each. What is written for either app is tested in `test/cli`.
describe.each(Object.entries(APPS))('the app %s', { timeout: 240_000 }, (name, files) => {
  const folder = join(home, name.replaceAll(' ', '-'))
  const path = (file: string): string => join(folder, file)

  test('gets a gate from the commands of getting-started.md, and keeps its own routes', async () => {
    mkdirSync(path('src'), { recursive: true })
    writeFileSync(path('package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }))
    for (const [file, text] of Object.entries(files)) writeFileSync(path(file), text)
    const created = shell(folder, `npm i ${linked('hono', 'wrangler', '@cloudflare/workers-types')}`)
    expect(created.ok, created.output).toBe(true)

    const installed = shell(folder, onThisMachine(INSTALL))
    expect(installed.ok, installed.output).toBe(true)
    const settings = { compiler: 'typescript', moduleResolution: 'bundler', declarations: 'believed' } as const
    const main = name === 'a Hono app' ? 'src/index.ts' : 'src/rag-gate-worker.ts'
    expect(typeCheck(folder, settings, [main])).toMatchObject({ output: '\n', ok: true })

    const { url, child } = await serve(folder)
    try {
      const used = shell(
        folder,
        USE.replace('http://localhost:…', url).replaceAll('curl ', 'curl -sS --fail-with-body -w "\\n" '),
      )
      expect(used.ok, used.output).toBe(true)
      expect(used.output).toMatch(/"answer":"Returns are accepted within fourteen days[^\n]*"refused":false/)
      expect(used.output).toMatch(/"refused":true/)
      expect(used.output).toMatch(/^ok +migrations \(local\) +all \d+ are applied$/m)
      expect(used.output).toMatch(/^ok +gate +POST \/ask answers/m)
      expect(used.output).not.toMatch(/^problem/m)
      expect(await (await fetch(url)).text()).toBe('Hello!')
      const stranger = await fetch(`${url}/documents/x`, {
        method: 'PUT',
        body: 'x',
        headers: { authorization: 'Bearer x' },
      })
      expect(stranger.status).toBe(401)
    } finally {
      await stopGroup(child, new Promise((resolve) => void child.once('exit', () => resolve())))
    }
  })

  test('is not changed when rag-gate init runs again', () => {
    const before = Object.keys(files).map((file) => readFileSync(path(file), 'utf8'))
    const { ok, output } = shell(folder, 'npx rag-gate init')
    expect(ok, output).toBe(true)
    expect(output).toContain('Nothing to change')
    expect(Object.keys(files).map((file) => readFileSync(path(file), 'utf8'))).toEqual(before)
  })
})
