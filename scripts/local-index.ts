/** Runs the vector index Worker locally: its tokens, and wrangler serving on loopback. */
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { indexesOf } from '../packages/vector-index/src/configured-indexes.ts'
import { ROOT, type Serving, serveLocally, stopGroup } from './local-gate.ts'
import { formatVars } from './worker-settings.ts'

/** Options of `startLocalIndex`. */
export interface LocalIndexOptions {
  /** Folder for the indexes and their tokens. */
  readonly stateDirectory: string
  /** Settings by index name. @default one hybrid index called `default` */
  readonly indexes?: unknown
  /** First port to try; if it is busy, the next one is tried. @default 8788 */
  readonly port?: number
}

/** A running index Worker. */
export interface LocalIndex extends Serving {
  readonly url: string
  /** Tokens by index name. */
  readonly tokens: ReadonlyMap<string, string>
}

const CONFIG = join(ROOT, 'packages', 'vector-index', 'wrangler.toml')

/**
 * Starts it, and waits until it responds.
 *
 * @throws for invalid settings, before anything is started
 */
export async function startLocalIndex({
  stateDirectory,
  indexes,
  port = 8788,
}: LocalIndexOptions): Promise<LocalIndex> {
  const configured = indexesOf({ VECTOR_INDEXES: indexes })
  const tokens = ensureTokens(stateDirectory, [...configured.keys()])
  const envFile = join(stateDirectory, 'vars.env')
  const vars = {
    INDEX_TOKENS: JSON.stringify(Object.fromEntries(tokens)),
    ...(indexes !== undefined && { VECTOR_INDEXES: JSON.stringify(indexes) }),
  }
  writeFileSync(envFile, formatVars(vars), { mode: 0o600 })
  const args = ['--config', CONFIG, '--persist-to', stateDirectory, '--env-file', envFile]
  const { url, child, stopped } = await serveLocally(port, args, untilAnswers)
  return { url, tokens, stopped, stop: () => stopGroup(child, stopped) }
}

/** Reads the tokens, and generates missing ones. */
function ensureTokens(directory: string, names: readonly string[]): ReadonlyMap<string, string> {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'tokens.json')
  // Written below by this function.
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {}
  const tokens = Object.fromEntries(names.map((name) => [name, known[name] ?? randomBytes(24).toString('base64url')]))
  writeFileSync(file, `${JSON.stringify({ ...known, ...tokens }, undefined, 2)}\n`, { mode: 0o600 })
  return new Map(Object.entries(tokens))
}

async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error('wrangler ended')
    const response = await fetch(url).catch(() => undefined)
    if (response !== undefined) {
      await response.body?.cancel()
      return
    }
    await sleep(150)
  }
  throw new Error('no answer within a minute')
}
