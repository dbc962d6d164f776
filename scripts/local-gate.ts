/** Runs the Worker locally: migrated D1, secrets, wrangler on loopback. Used by start, tests and benchmarks. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { settingProblems } from '../workers/gate/settings.ts'
import { formatVars, parseVars } from './worker-settings.ts'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Options of `startLocalGate`. */
export interface LocalGateOptions {
  /** Folder for D1, the index and the cache. */
  readonly stateDirectory: string
  /** File for the generated secrets. @default `.dev.vars` in `stateDirectory` */
  readonly varsFile?: string
  /** First port to try; if it is busy, the next one is tried. @default 8787 */
  readonly port?: number
  /** Further variables for the Worker in this run; they override those in the file. */
  readonly vars?: Readonly<Record<string, string>>
  /** Variables that `varsFile` overrides. @default the operator's view alone */
  readonly defaults?: Readonly<Record<string, string>>
  /** Entry point, if it is not the gate's own. */
  readonly entry?: string
  /** Receives progress messages. */
  readonly say?: (line: string) => void
  /** Receives output of the Worker and wrangler once the Worker is up: request errors and background failures. */
  readonly onOutput?: (text: string) => void
  /** What is printed: problems, or every request and message. @default 'problems' */
  readonly output?: 'problems' | 'everything'
}

/** A running Worker. */
export interface LocalGate extends Serving {
  readonly url: string
  readonly adminToken: string
  /** The model that writes the answers; without one, answers are search results. */
  readonly model?: LanguageModel
  /** URL for attaching a debugger. */
  readonly inspectorUrl: string
  /** Whether the local state was set aside because of an outdated schema. */
  readonly rebuilt: boolean
  /** Kills it like a crash, without a clean shutdown. */
  kill(): Promise<void>
}

/** An OpenAI-compatible endpoint, as in the settings. */
export interface LanguageModel {
  readonly baseUrl: string
  readonly name: string
}

/**
 * Migrates, starts, and waits until the Worker responds.
 *
 * @throws for an invalid setting, before anything is started
 */
export async function startLocalGate(options: LocalGateOptions): Promise<LocalGate> {
  const { stateDirectory, vars = {}, say = () => undefined } = options
  const varsFile = options.varsFile ?? join(stateDirectory, '.dev.vars')
  const known = ensureSecrets(varsFile, vars)
  const defaults: Record<string, string> = { AUDIENCE: 'operator', ...options.defaults }
  const all: Record<string, string> = { ...defaults, ...known, ...vars }
  checkSettings(all, varsFile)
  const rebuilt = setAsideOldState(stateDirectory, say)
  migrate(stateDirectory)

  const envFile = join(stateDirectory, 'vars.env')
  const missing = Object.entries(defaults).filter(([name]) => known[name] === undefined)
  writeFileSync(envFile, formatVars({ ...Object.fromEntries(missing), ...vars }), { mode: 0o600 })
  // The second file overrides the first.
  const envFiles = ['--env-file', varsFile, '--env-file', envFile]
  const entry = options.entry === undefined ? [] : [options.entry]
  const args = [...entry, '--persist-to', stateDirectory, ...envFiles]
  const wanted = options.port ?? 8787
  // The request log must be printed.
  const printsEverything = options.output === 'everything' || all['REQUEST_LOG'] === 'json'
  const served = await serveLocally(wanted, args, untilHealthy, printsEverything)
  const { url, port, child, output, inspectorPort, stopped } = served
  if (port !== wanted) say(`Port ${wanted} is taken by another program: the gate takes ${port}.`)
  const { onOutput } = options
  if (onOutput !== undefined) {
    // Earlier output of wrangler is generic advice; if the start fails, the error includes all output.
    if (options.output === 'everything') onOutput(output())
    child.stdout?.on('data', (piece: Buffer) => onOutput(piece.toString()))
    child.stderr?.on('data', (piece: Buffer) => onOutput(piece.toString()))
  }
  const { LLM_BASE_URL: baseUrl, LLM_MODEL: model } = all
  return {
    url,
    adminToken: all['ADMIN_TOKEN'] ?? '',
    ...(baseUrl === undefined || model === undefined ? {} : { model: { baseUrl, name: model } }),
    inspectorUrl: `ws://127.0.0.1:${inspectorPort}/ws`,
    rebuilt,
    stopped,
    stop: () => stopGroup(child, stopped),
    kill: () => {
      signalGroup(child, 'SIGKILL')
      return stopped
    },
  }
}

function checkSettings(vars: Readonly<Record<string, string>>, file: string): void {
  const problems = settingProblems(vars).map(({ message }) => message)
  if (problems.length > 0) throw new Error(`${problems.join('\n')}\nChange it in ${file} or the environment`)
}

/** A server that runs until it is stopped or exits. */
export interface Serving {
  readonly stopped: Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a server and uses it until it exits or the process gets SIGINT, SIGTERM or SIGHUP. A signal stops it, with
 * exit code 0; an error or an unexpected exit is reported, with exit code 1.
 */
export async function serveUntilStopped<Served extends Serving>(
  starting: Promise<Served>,
  use: (served: Served) => unknown,
): Promise<void> {
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      void starting.then((served) => served.stop()).finally(() => process.exit(0))
    })
  }
  try {
    const served = await starting
    await use(served)
    await served.stopped
    if (!stopping) throw new Error('The Worker stopped by itself.')
  } catch (thrown) {
    if (stopping) return
    console.error(thrown instanceof Error ? thrown.message : thrown)
    await starting.then(
      (served) => served.stop(),
      () => undefined,
    )
    process.exit(1)
  }
}

/** The port in `PORT`. Exits if it is invalid. */
export function portFromEnvironment(otherwise: number): number {
  const port = Number(process.env['PORT'] ?? otherwise)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  console.error(`PORT must be a whole number from 1 to 65535, not "${process.env['PORT']}"`)
  process.exit(1)
}

/** Ends a script that was given an argument and knows none. */
export function refuseArguments(given: readonly string[] = process.argv.slice(2)): void {
  if (given.length === 0) return
  console.error(`There is no argument ${given[0]}. Settings are exported: PORT=9000 is another port to try first`)
  process.exit(2)
}

/** The first free loopback port from `first`. */
export async function freePort(first: number): Promise<number> {
  for (let port = first; port < 65_536; port++) if (await isFree(port)) return port
  throw new Error(`No free port from ${first} on`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

/** A random port to try first; neither it nor the debugger's is in the range that the system assigns to clients. */
export const anyPort = (): number => 10_000 + Math.floor(Math.random() * 12_000)

/** A running `wrangler dev`. */
export interface Served {
  readonly url: string
  readonly port: number
  readonly inspectorPort: number
  readonly child: ChildProcess
  /** Its latest output. */
  readonly output: () => string
  readonly stopped: Promise<void>
}

/**
 * Runs `wrangler dev` on the first free port from `first`, and waits for it. If another program takes the port in the
 * meantime, the next one is tried.
 *
 * @param untilReady rejects if it exits, or does not start
 * @throws with its output if it does not start
 */
export async function serveLocally(
  first: number,
  args: readonly string[],
  untilReady: (url: string, child: ChildProcess, output: () => string) => Promise<void>,
  printsEverything = false,
): Promise<Served> {
  for (let tries = 1; ; tries++) {
    const port = await freePort(first)
    const inspectorPort = await freePort(port + 10_000)
    const address = ['--ip', '127.0.0.1', '--port', String(port), '--inspector-port', String(inspectorPort)]
    const level = printsEverything ? 'log' : 'warn'
    const child = wrangler(['dev', ...args, ...address, '--log-level', level, '--show-interactive-dev-session=false'])
    const output = collectOutput(child)
    const stopped = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    // Whichever way this process ends, the child is killed.
    const killed = (): void => signalGroup(child, 'SIGKILL')
    process.once('exit', killed)
    void stopped.then(() => process.off('exit', killed))
    const url = `http://127.0.0.1:${port}`
    try {
      await untilReady(url, child, output)
      return { url, port, inspectorPort, child, output, stopped }
    } catch (thrown) {
      await stopGroup(child, stopped)
      if (tries === 5 || !/address already in use/i.test(output()))
        throw new Error(`The Worker did not start:\n${output()}`, { cause: thrown })
    }
  }
}

/** Keeps wrangler quiet: no telemetry, no banner, no downloads. */
const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CI: 'true',
}
const WRANGLER = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')

export function wrangler(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [WRANGLER, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...QUIET },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, so that all its child processes are stopped with it.
    detached: true,
  })
}

/**
 * Sets aside the state of an older schema. Until a release, migrations are edited in place, so a local database may not
 * match. All state is set aside, because index and database belong together.
 */
function setAsideOldState(stateDirectory: string, say: (line: string) => void): boolean {
  const stamp = join(stateDirectory, 'schema')
  const current = schemaHash()
  const known = existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined
  const old = existsSync(stateDirectory) && readdirSync(stateDirectory).includes('v3') && known !== current
  if (old) {
    const aside = `${stateDirectory}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
    renameSync(stateDirectory, aside)
    say(`The local database had an older schema; it was set aside in ${aside}`)
  }
  mkdirSync(stateDirectory, { recursive: true })
  return old
}

function schemaHash(): string {
  const directory = join(ROOT, 'd1', 'migrations')
  const hash = createHash('sha256')
  for (const name of readdirSync(directory).sort()) hash.update(name).update(readFileSync(join(directory, name)))
  return hash.digest('hex')
}

/** Copies a migrated database, which wrangler makes once per schema: that is faster than migrating each. */
export function migrate(stateDirectory: string): void {
  if (existsSync(join(stateDirectory, 'schema'))) return
  const migrated = join(ROOT, 'node_modules', '.cache', 'hono-rag-gate', `d1-${schemaHash()}`)
  if (!existsSync(migrated)) makeMigrated(migrated)
  cpSync(migrated, stateDirectory, { recursive: true })
  noteSchema(stateDirectory)
}

/** Records that the database in a state has all migrations, unless a schema is recorded already. */
export function noteSchema(stateDirectory: string): void {
  const stamp = join(stateDirectory, 'schema')
  if (!existsSync(stamp)) writeFileSync(stamp, schemaHash())
}

function makeMigrated(directory: string): void {
  const unfinished = `${directory}-${process.pid}`
  const result = spawnSync(
    process.execPath,
    [WRANGLER, 'd1', 'migrations', 'apply', 'DB', '--local', '--persist-to', unfinished],
    { cwd: ROOT, env: { ...process.env, ...QUIET }, encoding: 'utf8' },
  )
  if (result.status !== 0) throw new Error(`The migrations could not be applied:\n${result.stdout}\n${result.stderr}`)
  try {
    renameSync(unfinished, directory)
  } catch (thrown) {
    // Of two concurrent processes, the first one's file is kept.
    if (!existsSync(directory)) throw thrown
    rmSync(unfinished, { recursive: true })
  }
}

/** Reads the variables of a file, and generates secrets that neither it nor this run has. @returns those in the file */
function ensureSecrets(file: string, vars: Readonly<Record<string, string>>): Record<string, string> {
  const known = existsSync(file) ? parseVars(readFileSync(file, 'utf8')) : {}
  const made = Object.fromEntries(
    ['ADMIN_TOKEN', 'QUESTION_HMAC_KEY']
      .filter((name) => known[name] === undefined && vars[name] === undefined)
      .map((name) => [name, randomBytes(32).toString('base64url')]),
  )
  if (Object.keys(made).length > 0) {
    mkdirSync(dirname(file), { recursive: true })
    const before = existsSync(file) ? readFileSync(file, 'utf8').replace(/\n*$/, '\n').replace(/^\n$/, '') : ''
    writeFileSync(file, before + formatVars(made), { mode: 0o600 })
  }
  return { ...known, ...made }
}

export function collectOutput(child: ChildProcess): () => string {
  let text = ''
  const keep = (piece: Buffer): void => {
    text = (text + piece.toString()).slice(-20_000)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  return () => text
}

async function untilHealthy(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`wrangler ended with ${child.exitCode}`)
    const health = await fetch(`${url}/health`).catch(() => undefined)
    if (health?.ok === true) return
    if (health !== undefined && /"(?:config_invalid|secret_too_short)"/.test(await health.text())) {
      // The Worker logs which setting is wrong, perhaps after the response.
      for (let waited = 0; waited < 3000 && !/config_invalid|secret_too_short/.test(output()); waited += 50)
        await sleep(50)
      throw new Error('a setting of the Worker is wrong')
    }
    await sleep(150)
  }
  throw new Error('no answer from /health within a minute')
}

export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    // The process group no longer exists.
  }
}

export async function stopGroup(child: ChildProcess, exited: Promise<void>): Promise<void> {
  signalGroup(child, 'SIGTERM')
  await Promise.race([exited, sleep(5000, undefined, { ref: false })])
  signalGroup(child, 'SIGKILL')
}
