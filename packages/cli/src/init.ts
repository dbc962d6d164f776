/** `rag-gate init`: adds the gate to a Hono or Workers project, and shows the changes before writing them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, resolve } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { CommandError, misused } from './command-error.ts'
import { command } from './command.ts'
import { importsOf, mountedIn } from './project/entry.ts'
import {
  BINDING,
  type GateModule,
  gateModule,
  PACKAGES,
  type PassageIndex,
  wrappingEntry,
} from './project/gate-module.ts'
import { dependenciesOf, requireHono } from './project/hono-app.ts'
import {
  d1Databases,
  environmentsOf,
  MIGRATIONS,
  readWranglerConfig,
  type WranglerConfig,
  withDatabase,
  withMain,
} from './project/wrangler-config.ts'
import { jsonText, type Terminal } from './terminal.ts'

/** A new or changed file; `before` is absent for a new one. */
interface Change {
  readonly path: string
  readonly before?: string
  readonly after: string
}

/** The command. */
export const initCommand = command({
  name: 'init',
  about: 'Adds the gate to a Hono or Workers project: a route, a policy, and in Workers a database.',
  usage: ['init [folder] [--index words|upstash] [--yes]'],
  notes: [
    'Shows what it would change, and asks. Run again, it adds what is missing and leaves what is there.',
    'Without --index: upstash where the project has @upstash/vector or is no Worker, else words, which are found in D1.',
  ],
  options: {
    index: { type: 'string', value: 'words|upstash', about: 'where passages are found' },
    yes: { type: 'boolean', about: 'change the files without being asked' },
  },
  async run({ terminal, words, given, json }) {
    if (words.length > 1) throw misused(`init takes one folder, and there is more: ${words.slice(1).join(' ')}`)
    const folder = resolve(words[0] ?? '.')
    const installed = dependenciesOf(folder)
    const config = readWranglerConfig(folder)
    const index = config === undefined ? elsewhere(folder, given.index, installed) : indexOf(given.index, installed)
    const { changes, notes } = config === undefined ? planElsewhere(folder) : planOf(folder, config, index)
    const missing = ['hono', ...PACKAGES[index]].filter((name) => !installed.includes(name))
    const steps = [...(missing.length === 0 ? [] : [`npm i ${missing.join(' ')}`]), ...stepsOf(index)]
    if (json) terminal.out(jsonText({ index, changes, notes, steps }))
    else show(folder, changes, terminal)
    if (changes.length > 0) {
      const agreed = given.yes || (await agreement(terminal))
      if (!agreed) {
        terminal.note('Nothing was changed.')
        return 1
      }
      for (const { path, after } of changes) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), after)
      }
    }
    for (const note of notes) terminal.note({ text: note, colour: 'yellow' })
    if (!json) {
      terminal.out('\nThen:')
      for (const step of steps) terminal.out(`  ${step}`)
    }
    return 0
  },
})

async function agreement({ confirm }: Terminal): Promise<boolean> {
  if (confirm === undefined)
    throw misused('init asks before it changes files, and no terminal is there to answer: add --yes')
  return confirm('Change these files?')
}

/** @throws `CommandError` for a project without Hono, and for the word index, which needs D1 */
function elsewhere(folder: string, given: string | undefined, installed: readonly string[]): GateModule {
  requireHono(folder)
  if (indexOf(given ?? 'upstash', installed) === 'words') {
    throw misused('Words are kept in D1, which only Workers have: leave --index out, or say --index upstash')
  }
  return 'elsewhere'
}

function indexOf(given: string | undefined, installed: readonly string[]): PassageIndex {
  if (given === undefined) return installed.includes('@upstash/vector') ? 'upstash' : 'words'
  if (given === 'words' || given === 'upstash') return given
  throw misused(`--index is words or upstash, not ${given}`)
}

interface Plan {
  readonly changes: readonly Change[]
  readonly notes: readonly string[]
}

/** Usual entry points of Hono apps that are not Workers. */
const ENTRIES = ['src/index', 'index', 'src/server', 'server', 'src/main', 'main', 'src/app', 'app'].flatMap((name) =>
  ['ts', 'tsx', 'js', 'mjs'].map((ending) => `${name}.${ending}`),
)

function planElsewhere(folder: string): Plan {
  const path = ENTRIES.find((each) => existsSync(join(folder, each)))
  if (path === undefined) throw new CommandError(`${folder} has none of these files: ${ENTRIES.join(', ')}`)
  const own = /\.m?js$/.exec(path)?.[0]
  // Node requires file extensions in imports: the source's if Node runs TypeScript itself, else the compiled one.
  const isRead = /\b(?:node|deno)\b[^"&|]*\.tsx?\b/.test(readFileSync(join(folder, 'package.json'), 'utf8'))
  const ending = own ?? (isRead ? '.ts' : '.js')
  const { files, mounted } = modulesOf(folder, path, 'elsewhere', { ending, kept: own ?? '.ts' })
  if (mounted.kind === 'wrapped') throw new CommandError(`${path} is no app of Hono`)
  return { changes: newOf(folder, files), notes: [] }
}

/**
 * The module of the gate, and the entry point with its routes mounted.
 *
 * @param ending extension in imports if the entry point has no relative imports; `kept`: extension of the file
 */
function modulesOf(folder: string, path: string, module: GateModule, { ending: other = '', kept = '.ts' } = {}) {
  const entry = readEntry(folder, path)
  const ending = endingOf(entry) || other
  const mounted = mountedIn(path, entry, `./rag-gate${ending}`)
  const files: Change[] = [{ path: posix.join(posix.dirname(path), `rag-gate${kept}`), after: gateModule(module) }]
  if (mounted.kind === 'mounted') files.push({ path, before: entry, after: mounted.text })
  return { files, mounted, ending }
}

/** An existing module is not overwritten, because the project may have changed it. */
function newOf(folder: string, files: readonly Change[]): Change[] {
  return files.filter(({ path, before }) => before !== undefined || !existsSync(join(folder, path)))
}

function planOf(folder: string, config: WranglerConfig, index: GateModule): Plan {
  const { main } = config.settings
  if (typeof main !== 'string') {
    throw new CommandError(`${config.name} names no main: without a script there is no route`)
  }
  const path = posix.normalize(relative(folder, resolve(folder, main)).replaceAll('\\', '/'))
  if (path.startsWith('..')) throw new CommandError(`${main} is not in ${folder}: run init where it is`)
  const { files, mounted, ending } = modulesOf(folder, path, index)
  let next = config
  if (!d1Databases(config.settings).some(({ binding }) => binding === BINDING)) {
    next = withDatabase(next, { binding: BINDING, database_name: 'rag-gate', migrations_dir: MIGRATIONS })
  }
  if (mounted.kind === 'wrapped') {
    const wrapping = posix.join(posix.dirname(path), 'rag-gate-worker.ts')
    const worker = `./${basename(path).replace(/\.[cm]?[jt]sx?$/, ending)}`
    files.push({ path: wrapping, after: wrappingEntry(worker, `./rag-gate${ending}`) })
    next = withMain(next, wrapping)
  }
  const changes = newOf(folder, files)
  if (next.text !== config.text) changes.push({ path: config.name, before: config.text, after: next.text })
  const bound = d1Databases(config.settings).find(({ binding }) => binding === BINDING)
  const unmigrated = bound !== undefined && bound.migrations_dir === undefined
  const notes = unmigrated ? [`${BINDING} names no migrations: give it migrations_dir = "${MIGRATIONS}"`] : []
  const others = Object.entries(environmentsOf(config))
    .filter(([, own]) => !d1Databases(own).some(({ binding }) => binding === BINDING))
    .map(([name]) => `The environment ${name} inherits no bindings: give it ${BINDING} as well`)
  return { changes, notes: [...notes, ...others] }
}

function readEntry(folder: string, main: string): string {
  try {
    return readFileSync(join(folder, main), 'utf8')
  } catch {
    throw new CommandError(`${main}, which is main, cannot be read`)
  }
}

/** The file extension in the project's own imports. */
function endingOf(entry: string): string {
  const own = importsOf(entry).find((specifier) => specifier.startsWith('.'))
  return /\.(?:[jt]s|mjs)$/.exec(own ?? '')?.[0] ?? ''
}

function show(folder: string, changes: readonly Change[], { out }: Terminal): void {
  if (changes.length === 0) out(`Nothing to change in ${folder}: the gate is there.`)
  for (const { path, before, after } of changes) {
    const patch = createTwoFilesPatch(before === undefined ? '/dev/null' : path, path, before ?? '', after)
    // The first line of the patch is a separator.
    for (const line of patch.split('\n').slice(1)) {
      const colour = /^\+(?!\+\+)/.test(line) ? 'green' : /^-(?!--)/.test(line) ? 'red' : undefined
      out(colour === undefined ? line : { text: line, colour })
    }
  }
}

function stepsOf(index: GateModule): readonly string[] {
  const migrate = `npx wrangler d1 migrations apply ${BINDING} --local   # --remote before you deploy`
  const ask = `curl $APP/ask -H 'content-type: application/json' -d '{"question":"…"}'   # APP: the address that wrangler prints`
  const upstash = (file: string): string[] =>
    ['URL', 'TOKEN'].map((name) => `echo 'UPSTASH_VECTOR_REST_${name}="…"' >> ${file}`)
  const doctor = 'npx rag-gate doctor --url $APP'
  if (index === 'elsewhere') {
    const served = ask.replace('wrangler prints', 'it listens on')
    return [...upstash('.env'), 'Start the app with them, such as by node --env-file=.env', served, doctor]
  }
  const secrets =
    index === 'words'
      ? [
          `echo "ADMIN_TOKEN=$(openssl rand -hex 32)" >> .dev.vars   # wrangler secret put ADMIN_TOKEN before you deploy`,
        ]
      : upstash('.dev.vars')
  const fill =
    index === 'words'
      ? [`curl -X PUT $APP/documents/returns -H "authorization: Bearer $ADMIN_TOKEN" --data-binary @returns.md`]
      : []
  return [migrate, ...secrets, 'npx wrangler dev', ...fill, ask, doctor]
}
