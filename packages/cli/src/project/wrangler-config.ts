/** Finds, reads and edits a Workers project's configuration, leaving everything else in it unchanged. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from 'hono-rag-gate/core/lib'
import { applyEdits, modify, type ParseError, parse as parseJsonc } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { CommandError } from '../command-error.ts'

/** A configuration file. */
export interface WranglerConfig {
  /** File name, in the project's folder. */
  readonly name: string
  readonly text: string
  readonly settings: Readonly<Record<string, unknown>>
}

/** A D1 database in the configuration. */
export interface D1Binding {
  readonly binding: string
  readonly database_name: string
  readonly migrations_dir: string
}

/** Folder of the package's migrations, relative to the project's folder. */
export const MIGRATIONS = 'node_modules/hono-rag-gate/d1/migrations'

/**
 * In wrangler's lookup order.
 *
 * @see https://developers.cloudflare.com/workers/wrangler/configuration/
 */
const NAMES = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml']

/** @returns `undefined` for a folder without one @throws `CommandError` for an invalid one */
export function readWranglerConfig(folder: string): WranglerConfig | undefined {
  const name = NAMES.find((each) => existsSync(join(folder, each)))
  if (name === undefined) return undefined
  const text = readFileSync(join(folder, name), 'utf8')
  return { name, text, settings: parsed(name, text) }
}

function parsed(name: string, text: string): Readonly<Record<string, unknown>> {
  const faults: ParseError[] = []
  let settings: unknown
  try {
    settings = isToml(name) ? parseToml(text) : parseJsonc(text, faults, { allowTrailingComma: true })
  } catch (thrown) {
    // The first line has the problem and its position; the others illustrate it.
    const [why] = String(thrown instanceof Error ? thrown.message : thrown).split('\n')
    throw new CommandError(`${name} cannot be read: ${why}`)
  }
  if (faults.length > 0 || !isRecord(settings)) throw new CommandError(`${name} cannot be read: it is no JSON object`)
  return settings
}

const isToml = (name: string): boolean => name.endsWith('.toml')

/** D1 databases of a project or environment. */
export function d1Databases(settings: unknown): Partial<D1Binding>[] {
  const { d1_databases: list } = isRecord(settings) ? settings : {}
  return Array.isArray(list) ? list.filter(isRecord) : []
}

/** Environments by name; they inherit no bindings. */
export function environmentsOf({ settings: { env } }: WranglerConfig): Readonly<Record<string, unknown>> {
  return isRecord(env) ? env : {}
}

/** Adds a database. @throws `CommandError` if the file cannot be edited safely */
export function withDatabase(config: WranglerConfig, database: D1Binding): WranglerConfig {
  const { name, text, settings } = config
  const before = d1Databases(settings)
  const lines = Object.entries(database).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  const next = isToml(name)
    ? `${text.trimEnd()}\n\n[[d1_databases]]\n${lines.join('\n')}\n`
    : edited(
        text,
        before.length > 0 ? ['d1_databases', -1] : ['d1_databases'],
        before.length > 0 ? database : [database],
      )
  const wanted = { ...settings, d1_databases: [...before, { ...database }] }
  return held(config, next, wanted, `a D1 database: ${lines.join(', ')}`)
}

/** Changes the entry point. @throws `CommandError` if the file cannot be edited safely */
export function withMain(config: WranglerConfig, main: string): WranglerConfig {
  const { name, text, settings } = config
  const next = isToml(name)
    ? text.replace(/^main\s*=.*$/m, () => `main = ${JSON.stringify(main)}`)
    : edited(text, ['main'], main)
  return held(config, next, { ...settings, main }, `main = ${JSON.stringify(main)}`)
}

function edited(text: string, path: (string | number)[], value: unknown): string {
  const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: 2, eol: '\n' }
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion: path.length > 1 }))
}

/** The edited configuration, after checking that it parses to exactly what was wanted. */
function held({ name }: WranglerConfig, text: string, wanted: object, by: string): WranglerConfig {
  try {
    const settings = parsed(name, text)
    if (isDeepStrictEqual(plain(settings), plain(wanted))) return { name, text, settings }
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown
  }
  throw new CommandError(`${name} has a form that init cannot change. Add by hand: ${by}`)
}

/** Removes the prototypes that parsers set. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
