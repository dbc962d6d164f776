/** The Worker on this machine: migrated D1, its secrets, and wrangler serving it on loopback. Start, tests and bench use it. */
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

/** What `startLocalGate` can be told. */
export interface LocalGateOptions {
  /** Where D1, the index and the cache are kept. */
  readonly stateDirectory: string
  /** File with the generated secrets. @default `.dev.vars` in `stateDirectory` */
  readonly varsFile?: string
  /** First port to try; a busy one means the next. @default 8787 */
  readonly port?: number
  /** Further variables for the Worker, for this run only; they take the place of those in the file. */
  readonly vars?: Readonly<Record<string, string>>
  /** Variables for which `varsFile` has the last word. @default the operator's view alone */
  readonly defaults?: Readonly<Record<string, string>>
  /** Entry point, when it is not the gate's own. */
  readonly entry?: string
  /** Told what happens. */
  readonly say?: (line: string) => void
  /** Given what the Worker and wrangler print once the Worker is up: errors of requests, failures in the background. */
  readonly onOutput?: (text: string) => void
  /** What is printed: problems, or every request and message. @default 'problems' */
  readonly output?: 'problems' | 'everything'
}

/** A Worker that is serving. */
export interface LocalGate extends Serving {
  readonly url: string
  readonly adminToken: string
  /** The model that writes the answers; without one, search results answer. */
  readonly model?: LanguageModel
  /** Where a debugger attaches. */
  readonly inspectorUrl: string
  /** Whether the local state was set aside because its schema was old. */
  readonly rebuilt: boolean
  /** Ends it at once, as a crash would: nothing is told, and nothing can be finished. */
  kill(): Promise<void>
}

/** An OpenAI-compatible endpoint, as the settings name it. */
export interface LanguageModel {
  readonly baseUrl: string
  readonly name: string
}

/**
 * Migrates, starts, and waits until the Worker answers.
 *
 * @throws before anything is started, when a setting is wrong
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
  // The second file has the last word.
  const envFiles = ['--env-file', varsFile, '--env-file', envFile]
  const entry = options.entry === undefined ? [] : [options.entry]
  const args = [...entry, '--persist-to', stateDirectory, ...envFiles]
  const wanted = options.port ?? 8787
  // A log of requests is printed, not dropped.
  const printsEverything = options.output === 'everything' || all['REQUEST_LOG'] === 'json'
  const served = await serveLocally(wanted, args, untilHealthy, printsEverything)
  const { url, port, child, output, inspectorPort, stopped } = served
  if (port !== wanted) say(`Port ${wanted} is taken by another program: the gate takes ${port}.`)
  const { onOutput } = options
  if (onOutput !== undefined) {
    // Before that wrangler gives advice that is the same at every start; where the start fails, all of it is in the error.
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

/** Something that serves until it is stopped, or stops by itself. */
export interface Serving {
  readonly stopped: Promise<void>
  stop(): Promise<void>
}

/**
 * Uses what is starting, until it ends or the process gets SIGINT, SIGTERM or SIGHUP. Those stop it and end the process
 * with 0; a fault, and an end by itself, are told and end it with 1.
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

/** The port that `PORT` names. Ends the process when it is none. */
export function portFromEnvironment(otherwise: number): number {
  const port = Number(process.env['PORT'] ?? otherwise)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port
  console.error(`PORT must be a whole number from 1 to 65535, not "${process.env['PORT']}"`)
  process.exit(1)
}

/** The first free port on loopback, from `first` on. */
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

/** A port to try first, for those who mind no number: neither it nor its debugger's is one that the system gives to clients. */
export const anyPort = (): number => 10_000 + Math.floor(Math.random() * 12_000)

/** What `wrangler dev` serves. */
export interface Served {
  readonly url: string
  readonly port: number
  readonly inspectorPort: number
  readonly child: ChildProcess
  /** What it printed last. */
  readonly output: () => string
  readonly stopped: Promise<void>
}

/**
 * Runs `wrangler dev` on the first free port from `first` on, and waits. A port that another program takes in between is
 * passed over.
 *
 * @param untilReady rejects when it ended, or does not come up
 * @throws with all that was printed, when it does not come up
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
    // However this process ends, nothing is left behind.
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

/** wrangler is quiet: no telemetry, no banner, nothing fetched from outside. */
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
    // Its own process group, so that stopping it stops everything it started.
    detached: true,
  })
}

/**
 * Migrations are edited in place until a release, so a local database may have been made from older ones. Then the whole
 * state is set aside: index and database belong together.
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

/** A copy of a migrated database, which wrangler makes once for each schema: to make one takes longer than to start the Worker. */
export function migrate(stateDirectory: string): void {
  if (existsSync(join(stateDirectory, 'schema'))) return
  const migrated = join(ROOT, 'node_modules', '.cache', 'hono-rag-gate', `d1-${schemaHash()}`)
  if (!existsSync(migrated)) makeMigrated(migrated)
  cpSync(migrated, stateDirectory, { recursive: true })
  noteSchema(stateDirectory)
}

/** Notes that the database in a state has every migration that there is, where nothing is noted. */
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
    // Of two processes at the same time the first one's stays.
    if (!existsSync(directory)) throw thrown
    rmSync(unfinished, { recursive: true })
  }
}

/** Reads the variables in a file, and makes the secrets that neither it nor this run has. @returns those in the file */
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
      // Which one, the Worker's log says, and that may come after the answer.
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
    // The group is gone already.
  }
}

export async function stopGroup(child: ChildProcess, exited: Promise<void>): Promise<void> {
  signalGroup(child, 'SIGTERM')
  await Promise.race([exited, sleep(5000, undefined, { ref: false })])
  signalGroup(child, 'SIGKILL')
}
