/** Checks the requirements of a project: packages, the database with its tables, and settings. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from 'hono-rag-gate/core/lib'
import { type D1Binding, d1Databases, MIGRATIONS, type WranglerConfig } from '../project/wrangler-config.ts'
import { BINDING } from '../project/gate-module.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Which database of the project. */
export type Where = 'local' | 'remote'

/** Checks bindings, migrations, packages and settings, in this order. */
export function checkProject(
  folder: string,
  config: WranglerConfig,
  where: Where,
  vars: Readonly<Record<string, string | undefined>>,
): readonly Finding[] {
  const { main } = config.settings
  const database = d1Databases(config.settings).find(({ migrations_dir: path }) => isOfGate(path))
  return [
    packages(folder),
    ...(database === undefined
      ? [noDatabase(config)]
      : [binding(config, database), migrations(folder, database, where)]),
    ...settings(
      join(folder, dirname(typeof main === 'string' ? main : '.'), 'rag-gate.ts'),
      vars,
      'put into .dev.vars, and wrangler secret put for the deployed Worker',
    ),
  ]
}

/** Checks packages and settings of a Hono app that is not a Worker. */
export function checkApp(folder: string, vars: Readonly<Record<string, string | undefined>>): readonly Finding[] {
  const modules = ['src/rag-gate', 'rag-gate'].flatMap((name) => ['ts', 'js', 'mjs'].map((end) => `${name}.${end}`))
  const todo = 'put into .env, and into the environment of the deployed app'
  return [packages(folder), ...modules.flatMap((module) => settings(join(folder, module), vars, todo))]
}

const isOfGate = (path: string | undefined): boolean =>
  /(?:^|\/)(?:hono-rag-gate\/)?d1\/migrations\/?$/.test(path ?? '')

function packages(folder: string): Finding {
  const root = join(folder, 'node_modules')
  const scope = join(root, '@hono-rag-gate')
  const scoped = existsSync(scope) ? readdirSync(scope).map((name) => `@hono-rag-gate/${name}`) : []
  const found = ['hono-rag-gate', ...scoped]
    .map((name) => [name, join(root, name, 'package.json')] as const)
    .flatMap(([name, path]) => (existsSync(path) ? [[name, versionIn(path)] as const] : []))
  const gate = found.find(([name]) => name === 'hono-rag-gate')
  if (gate === undefined) return problem('packages', 'hono-rag-gate is not installed', 'npm i hono-rag-gate')
  const others = found.filter(([, version]) => version !== gate[1]).map(([name]) => name)
  if (others.length === 0) return ok('packages', `hono-rag-gate ${gate[1]}, and ${found.length - 1} beside it`)
  const todo = `npm i ${others.map((name) => `${name}@${gate[1]}`).join(' ')}`
  return problem('packages', `${others.join(', ')}: another version than hono-rag-gate ${gate[1]}`, todo)
}

function versionIn(path: string): string {
  const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'))
  return String(isRecord(manifest) ? manifest['version'] : '')
}

function noDatabase({ name, settings }: WranglerConfig): Finding {
  const text = `${name} has no D1 database with the migrations ${MIGRATIONS}: nothing is recorded`
  const isBound = d1Databases(settings).some(({ binding: bound }) => bound === BINDING)
  return warning(
    'bindings',
    text,
    isBound ? `give ${BINDING} migrations_dir = "${MIGRATIONS}"` : 'rag-gate init adds one',
  )
}

function binding({ name }: WranglerConfig, { binding: bound, database_name: database }: Partial<D1Binding>): Finding {
  return ok('bindings', `${bound} in ${name} is the database ${database}`)
}

function migrations(
  folder: string,
  { binding: bound = '', migrations_dir: path = '' }: Partial<D1Binding>,
  where: Where,
): Finding {
  const check = `migrations (${where})`
  const apply = `npx wrangler d1 migrations apply ${bound} --${where}`
  const there = join(folder, path)
  if (!existsSync(there)) return problem(check, `${path} is missing`, 'npm i hono-rag-gate')
  const wanted = readdirSync(there).filter((file) => file.endsWith('.sql'))
  const applied = appliedTo(folder, bound, where)
  if (typeof applied === 'string') return problem(check, applied, apply)
  const missing = wanted.filter((file) => !applied.includes(file))
  if (missing.length > 0) return problem(check, `${missing.length} of ${wanted.length} are not applied`, apply)
  const unknown = applied.filter((file) => !wanted.includes(file))
  if (unknown.length === 0) return ok(check, `all ${wanted.length} are applied`)
  return problem(
    check,
    `the database is newer than the package: it has ${unknown.join(', ')}`,
    'npm i hono-rag-gate@latest',
  )
}

/** Applied migrations, as listed by the project's own wrangler; or why they cannot be listed. */
function appliedTo(folder: string, database: string, where: Where): readonly string[] | string {
  const wrangler = join(folder, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  if (!existsSync(wrangler)) return 'wrangler is not installed in the project: npm i -D wrangler'
  const query = ['--json', '--command', 'SELECT name FROM d1_migrations']
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [wrangler, 'd1', 'execute', database, `--${where}`, ...query],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
    },
  )
  if (/no such table: d1_migrations/.test(stdout + stderr)) return []
  let answer: unknown
  try {
    answer = JSON.parse(stdout)
  } catch {
    answer = undefined
  }
  const [first]: readonly unknown[] = Array.isArray(answer) ? answer : []
  const rows: unknown = isRecord(first) ? first['results'] : undefined
  if (!Array.isArray(rows)) return `wrangler cannot read the database: ${firstLineOf(stderr) || firstLineOf(stdout)}`
  return rows.map((row: unknown) => String(isRecord(row) ? row['name'] : ''))
}

function firstLineOf(text: string): string {
  return text.trim().split('\n')[0] ?? ''
}

/** Checks the settings that the module written by `init` needs. */
function settings(
  module: string,
  vars: Readonly<Record<string, string | undefined>>,
  todo: string,
): readonly Finding[] {
  if (!existsSync(module)) return []
  const text = readFileSync(module, 'utf8')
  const named = /^\s+readonly ([A-Z][A-Z_]*): string$|\b([A-Z][A-Z_]*): \w+ = ''(?=.*process\.env)/gm
  const names = Array.from(text.matchAll(named), ([, bound, variable = '']) => bound ?? variable)
  const missing = names.filter((name) => (vars[name] ?? '') === '')
  if (missing.length > 0) {
    return [problem('settings', `${missing.join(', ')}: not set`, todo)]
  }
  const { ADMIN_TOKEN: token } = vars
  if (names.includes('ADMIN_TOKEN') && token !== undefined && token.length < 32) {
    return [problem('settings', 'ADMIN_TOKEN has fewer than 32 characters: nothing is let in', 'openssl rand -hex 32')]
  }
  return names.length === 0 ? [] : [ok('settings', names.join(', '))]
}
