/** `rag-gate init`: adds the gate to a project of Hono or Workers, shown before it is written. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, resolve } from 'node:path'
import { isRecord } from 'hono-rag-gate/core/lib'
import { createTwoFilesPatch } from 'diff'
import { CommandError, misused } from './command-error.ts'
import { command } from './command.ts'
import { importsOf, mountedIn } from './project/entry.ts'
import { BINDING, gateModule, PACKAGES, type PassageIndex, wrappingEntry } from './project/gate-module.ts'
import {
  d1Databases,
  environmentsOf,
  MIGRATIONS,
  readWranglerConfig,
  withDatabase,
  withMain,
} from './project/wrangler-config.ts'
import { jsonText, type Terminal } from './terminal.ts'

/** A file as it would be; without `before` it is not there yet. */
interface Change {
  readonly path: string
  readonly before?: string
  readonly after: string
}

/** The command. */
export const initCommand = command({
  name: 'init',
  about: 'Adds the gate to a Hono or Workers project: a database, a route, a policy.',
  usage: ['init [folder] [--index words|upstash] [--yes]'],
  notes: [
    'Shows what it would change, and asks. Run again, it adds what is missing and leaves what is there.',
    'Without --index: upstash where the project has @upstash/vector, else words, which are found in D1.',
  ],
  options: {
    index: { type: 'string', value: 'words|upstash', about: 'where passages are found' },
    yes: { type: 'boolean', about: 'change the files without being asked' },
  },
  async run({ terminal, words, given, json }) {
    if (words.length > 1) throw misused(`init takes one folder, and there is more: ${words.slice(1).join(' ')}`)
    const folder = resolve(words[0] ?? '.')
    const installed = dependenciesOf(folder)
    const index = indexOf(given.index, installed)
    const { changes, notes } = planOf(folder, index)
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

function dependenciesOf(folder: string): readonly string[] {
  const path = join(folder, 'package.json')
  let manifest: unknown
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new CommandError(`${path} cannot be read: init works in the folder of a project`)
  }
  const { dependencies, devDependencies } = isRecord(manifest) ? manifest : {}
  return [dependencies, devDependencies].flatMap((each) => (isRecord(each) ? Object.keys(each) : []))
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

function planOf(folder: string, index: PassageIndex): Plan {
  const config = readWranglerConfig(folder)
  const { main } = config.settings
  if (typeof main !== 'string') {
    throw new CommandError(`${config.name} names no main: without a script there is no route`)
  }
  const path = posix.normalize(relative(folder, resolve(folder, main)).replaceAll('\\', '/'))
  if (path.startsWith('..')) throw new CommandError(`${main} is not in ${folder}: run init where it is`)
  const entry = readEntry(folder, path)
  const ending = endingOf(entry)
  const module = (name: string): string => posix.join(posix.dirname(path), name)
  const mounted = mountedIn(path, entry, `./rag-gate${ending}`)
  const files: Change[] = [{ path: module('rag-gate.ts'), after: gateModule(index) }]
  let next = config
  if (!d1Databases(config.settings).some(({ binding }) => binding === BINDING)) {
    next = withDatabase(next, { binding: BINDING, database_name: 'rag-gate', migrations_dir: MIGRATIONS })
  }
  if (mounted.kind === 'wrapped') {
    const wrapping = module('rag-gate-worker.ts')
    const worker = `./${basename(path).replace(/\.[cm]?[jt]sx?$/, ending)}`
    files.push({ path: wrapping, after: wrappingEntry(worker, `./rag-gate${ending}`) })
    next = withMain(next, wrapping)
  }
  // A module that is there is the project's own by now.
  const changes = files.filter((file) => !existsSync(join(folder, file.path)))
  if (mounted.kind === 'mounted') changes.push({ path, before: entry, after: mounted.text })
  if (next.text !== config.text) changes.push({ path: config.name, before: config.text, after: next.text })
  const notes = Object.entries(environmentsOf(config))
    .filter(([, own]) => !d1Databases(own).some(({ binding }) => binding === BINDING))
    .map(([name]) => `The environment ${name} inherits no bindings: give it ${BINDING} as well`)
  return { changes, notes }
}

function readEntry(folder: string, main: string): string {
  try {
    return readFileSync(join(folder, main), 'utf8')
  } catch {
    throw new CommandError(`${main}, which is main, cannot be read`)
  }
}

/** How the project ends the names of its own modules. */
function endingOf(entry: string): string {
  const own = importsOf(entry).find((specifier) => specifier.startsWith('.'))
  return /\.[jt]s$/.exec(own ?? '')?.[0] ?? ''
}

function show(folder: string, changes: readonly Change[], { out }: Terminal): void {
  if (changes.length === 0) out(`Nothing to change in ${folder}: the gate is there.`)
  for (const { path, before, after } of changes) {
    const patch = createTwoFilesPatch(before === undefined ? '/dev/null' : path, path, before ?? '', after)
    // Its first line is a rule across the screen.
    for (const line of patch.split('\n').slice(1)) {
      const colour = /^\+(?!\+\+)/.test(line) ? 'green' : /^-(?!--)/.test(line) ? 'red' : undefined
      out(colour === undefined ? line : { text: line, colour })
    }
  }
}

function stepsOf(index: PassageIndex): readonly string[] {
  const migrate = `npx wrangler d1 migrations apply ${BINDING} --local   # --remote before you deploy`
  const ask = `curl $APP/ask -H 'content-type: application/json' -d '{"question":"…"}'   # APP: the address that wrangler prints`
  const secrets =
    index === 'words'
      ? [
          `echo "ADMIN_TOKEN=$(openssl rand -hex 32)" >> .dev.vars   # wrangler secret put ADMIN_TOKEN before you deploy`,
        ]
      : [`echo 'UPSTASH_VECTOR_REST_URL="…"' >> .dev.vars`, `echo 'UPSTASH_VECTOR_REST_TOKEN="…"' >> .dev.vars`]
  const fill =
    index === 'words'
      ? [`curl -X PUT $APP/documents/returns -H "authorization: Bearer $ADMIN_TOKEN" --data-binary @returns.md`]
      : []
  return [migrate, ...secrets, 'npx wrangler dev', ...fill, ask, 'npx rag-gate doctor --url $APP']
}
