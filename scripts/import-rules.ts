/**
 * The allowed imports, as a whitelist that includes types; part of `npm run lint`. Each room lists the rooms that it
 * may import; any other import is an error, and so is a cycle of files. In the pure rooms, clock, randomness and module
 * state are errors too.
 *
 *   node scripts/import-rules.ts
 */
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT } from './local-gate.ts'

/** Allowed imports of a room: path prefixes of rooms, and name prefixes of packages. */
interface Allowed {
  readonly rooms: readonly string[]
  readonly packages?: readonly string[]
}

const ERRORS = 'src/errors.ts'
const LIB = ['src/core/lib/', ERRORS]
const TEXT = ['src/core/text/', ...LIB]
const EVIDENCE = ['src/core/evidence/', ...TEXT]
const SCALE = ['src/core/scale/', ...LIB]
const SIGNALS = ['src/core/signals/', ...SCALE, ...EVIDENCE]
const ANSWER = ['src/core/answer/', ...EVIDENCE]
const GATES = ['src/core/gates/', ...ANSWER, ...SIGNALS]
const POLICY = ['src/core/policy/', ...GATES]
const PORTS = ['src/ports/', 'src/core/']
const PIPELINE = ['src/pipeline/', ERRORS, ...PORTS]

/** Public names of the gate's pure parts. */
const PURE_DOORS = ['hono-rag-gate/core', 'hono-rag-gate/language', 'hono-rag-gate/errors']
/** Further public names for packages that call services. */
const ADAPTER_DOORS = [
  'hono-rag-gate/http',
  'hono-rag-gate/ports',
  '@hono-rag-gate/upstream',
  '@cloudflare/workers-types',
]
/** Further public names for packages that use D1. */
const STORE_DOORS = [
  ...PURE_DOORS,
  'hono-rag-gate/adapters/d1',
  'hono-rag-gate/d1/schema',
  'hono-rag-gate/d1/figures',
  'hono-rag-gate/http',
  'hono-rag-gate/pipeline',
  'hono-rag-gate/ports',
  'drizzle-orm',
  '@cloudflare/workers-types',
]

/** Rules by path prefix; the longest matching prefix applies. */
const ROOMS: Readonly<Record<string, Allowed>> = {
  'src/errors.ts': { rooms: [] },
  'src/core/lib/': { rooms: LIB },
  'src/core/text/': { rooms: TEXT },
  'src/core/evidence/': { rooms: EVIDENCE },
  'src/core/signals/': { rooms: SIGNALS },
  'src/core/answer/': { rooms: ANSWER },
  'src/core/gates/': { rooms: GATES },
  'src/core/policy/': { rooms: POLICY },
  'src/core/scale/': { rooms: SCALE },
  'src/core/reports/': { rooms: ['src/core/reports/', ...POLICY] },
  'src/language/english/': { rooms: ['src/language/english/', ...TEXT] },
  'src/ports/': { rooms: PORTS },
  'src/pipeline/': { rooms: PIPELINE },
  'src/http/': { rooms: ['src/http/', ...LIB] },
  'src/middleware/': {
    rooms: ['src/middleware/', 'src/http/', ...PIPELINE],
    packages: ['hono'],
  },
  'src/cache/': { rooms: ['src/cache/', 'src/language/', 'src/http/', ...PIPELINE] },
  'src/adapters/': { rooms: ['src/http/', ERRORS, ...PORTS], packages: ['@cloudflare/workers-types'] },
  'src/adapters/d1': {
    rooms: ['src/adapters/d1/', 'src/http/', ERRORS, ...PORTS],
    packages: ['@cloudflare/workers-types'],
  },
  'src/index.ts': { rooms: ['src/'] },
  'd1/': { rooms: ['d1/', ERRORS, ...PORTS], packages: ['drizzle-orm'] },
  // Packages and the ready Worker import other packages only by their public names.
  'packages/chat/': {
    rooms: ['packages/chat/'],
    packages: [
      ...PURE_DOORS,
      'hono-rag-gate/http',
      'hono-rag-gate/middleware',
      'hono-rag-gate/ports',
      'hono',
      '@ai-sdk/provider',
    ],
  },
  'packages/mcp/': {
    rooms: ['packages/mcp/'],
    packages: [
      ...PURE_DOORS,
      'hono-rag-gate/middleware',
      'hono-rag-gate/ports',
      '@hono-rag-gate/presets/weighted-signals',
      'hono',
    ],
  },
  'packages/messages/': { rooms: ['packages/messages/'], packages: [...PURE_DOORS, 'hono'] },
  'packages/calibration/': { rooms: ['packages/calibration/'], packages: PURE_DOORS },
  'packages/presets/': {
    rooms: ['packages/presets/'],
    packages: [...PURE_DOORS, '@hono-rag-gate/calibration/correlation'],
  },
  // The list of all named policies.
  'packages/presets/src/named/': {
    rooms: ['packages/presets/'],
    packages: [...PURE_DOORS, 'hono-rag-gate/balanced', '@hono-rag-gate/calibration'],
  },
  'packages/vector-index/': { rooms: ['packages/vector-index/'], packages: PURE_DOORS },
  'packages/vector-index/src/worker/': {
    rooms: ['packages/vector-index/'],
    packages: [...PURE_DOORS, 'hono-rag-gate/http', 'cloudflare:workers'],
  },
  'packages/models/': {
    rooms: ['packages/models/'],
    packages: [
      ...PURE_DOORS,
      ...ADAPTER_DOORS,
      'hono-rag-gate/balanced',
      'hono-rag-gate/middleware',
      'hono-rag-gate/pipeline',
    ],
  },
  'packages/cloudflare/': {
    rooms: ['packages/cloudflare/'],
    packages: [
      ...PURE_DOORS,
      ...ADAPTER_DOORS,
      'hono-rag-gate/adapters/answer-cache',
      'hono-rag-gate/adapters/coalescing',
      'hono-rag-gate/adapters/decision-log',
      'cloudflare:workers',
    ],
  },
  'packages/redis/': {
    rooms: ['packages/redis/'],
    packages: [...PURE_DOORS, 'hono-rag-gate/adapters/answer-cache', 'hono-rag-gate/ports'],
  },
  'packages/upstash/': {
    rooms: ['packages/upstash/'],
    packages: [...PURE_DOORS, ...ADAPTER_DOORS, '@upstash/vector'],
  },
  'packages/upstream/': {
    rooms: ['packages/upstream/'],
    packages: [...PURE_DOORS, '@hono-rag-gate/cloudflare', 'hono-rag-gate/http', 'hono-rag-gate/ports'],
  },
  'packages/vectorize/': { rooms: ['packages/vectorize/'], packages: [...PURE_DOORS, ...ADAPTER_DOORS] },
  'packages/word-index/': {
    rooms: ['packages/word-index/'],
    packages: [...PURE_DOORS, ...ADAPTER_DOORS, 'hono-rag-gate/adapters/d1'],
  },
  'packages/ingest/': {
    rooms: ['packages/ingest/'],
    packages: [...STORE_DOORS, '@hono-rag-gate/calibration', 'markdown-it', 'entities', 'yaml'],
  },
  'packages/console/': {
    rooms: ['packages/console/'],
    packages: [...STORE_DOORS, 'hono-rag-gate/middleware', '@hono-rag-gate/calibration', 'hono'],
  },
  'packages/cli/': {
    rooms: ['packages/cli/'],
    packages: [
      ...PURE_DOORS,
      'hono-rag-gate/adapters/static-collections',
      'hono-rag-gate/balanced',
      '@hono-rag-gate/calibration',
      '@hono-rag-gate/ingest',
      '@hono-rag-gate/models',
      '@hono-rag-gate/presets',
      '@hono-rag-gate/upstash',
      '@hono-rag-gate/upstream',
      'node:',
      'diff',
      'jsonc-parser',
      'smol-toml',
      'yaml',
    ],
  },
  'workers/gate/': {
    rooms: ['workers/gate/'],
    packages: [
      'hono-rag-gate',
      '@hono-rag-gate',
      '@upstash/vector',
      '@cloudflare/workers-types',
      'hono',
      'cloudflare:workers',
    ],
  },
}

/** Folders that several adapters share. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  d1: ['answer-cache'],
  'memory-coalescer': ['coalescing'],
  'buffered-decision-log': ['decision-log'],
  'direct-decision-log': ['decision-log'],
}

/** A forbidden import. */
export interface Violation {
  readonly file: string
  readonly imported: string
}

const IMPORT = /^(?:import|export)\s[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm

/** The imports of a file: paths from the root, and package names. */
function importsOf(file: string, source: string): readonly string[] {
  return Array.from(source.matchAll(IMPORT), ([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '')
    .filter((name) => name !== '')
    .map((name) => (name.startsWith('.') ? posix.join(posix.dirname(file), name) : name))
}

/** The forbidden imports of a file. */
export function violationsOf(file: string, source: string): readonly Violation[] {
  const { rooms, packages = [] } = allowedFor(file)
  return importsOf(file, source)
    .filter((imported) =>
      /^(?:src|d1|packages|workers|scripts|test|bench|\.\.)\//.test(imported)
        ? rooms.every((room) => !imported.startsWith(room))
        : packages.every((name) => imported !== name && !imported.startsWith(name.endsWith(':') ? name : `${name}/`)),
    )
    .map((imported) => ({ file, imported }))
}

function allowedFor(file: string): Allowed {
  const preset = /^src\/presets\/[^/]+\//.exec(file)?.[0]
  if (preset !== undefined) return { rooms: [preset, 'src/core/', 'src/language/', ERRORS] }
  const room = Object.keys(ROOMS)
    .filter((path) => file.startsWith(path))
    .sort((a, b) => b.length - a.length)[0]
  if (room === undefined) return { rooms: [] }
  const { rooms, packages = [] } = ROOMS[room]!
  const [, adapter] = /^src\/adapters\/([^/]+?)(?:\.ts|\/.*)$/.exec(file) ?? []
  if (adapter === undefined) return { rooms, packages }
  const own = [adapter, ...(SHARED[adapter] ?? [])].map((name) => `src/adapters/${name}/`)
  return { rooms: [...rooms, ...own], packages }
}

/** Pure rooms: the same input always gives the same verdict. */
const PURE = ['src/core/', 'src/language/', 'src/presets/', 'packages/calibration/', 'packages/presets/']

const IMPURE =
  /\bDate\.now\b|\bnew Date(?:\(\)|(?=[^\w(]))|(?<!new )\bDate\(|\bperformance\.now\b|\bMath\.random\b|\bcrypto\.(?:getRandomValues|randomUUID)\b|^(?:export )?(?:let|var) |^(?:export )?const \w+(?:: [^=]+)? = new (?:WeakMap|Map|WeakSet|Set)(?:<[^(]*>)?\(\)/gm

/** Uses of clock, randomness or module state in a file of a pure room. */
export function impuritiesOf(file: string, source: string): readonly string[] {
  if (PURE.every((folder) => !file.startsWith(folder))) return []
  return Array.from(source.matchAll(IMPURE), ([found]) => found.trim())
}

/** Cycles among files, including type imports; each as the files along the cycle. */
export function circlesAmong(sources: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const imports = new Map(
    [...sources].map(([file, source]) => [file, importsOf(file, source).filter((name) => sources.has(name))]),
  )
  const circles: (readonly string[])[] = []
  const done = new Set<string>()
  const visit = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file)
    if (at >= 0) circles.push([...way.slice(at), file])
    if (at >= 0 || done.has(file)) return
    for (const next of imports.get(file) ?? []) visit(next, [...way, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  return circles
}

/** The sources of all packages and of the ready Worker, by path. */
export function packageSources(): ReadonlyMap<string, string> {
  const files = globSync(['src/**/*.ts', 'd1/*.ts', 'packages/*/src/**/*.ts', 'workers/gate/**/*.ts'], {
    cwd: ROOT,
  }).sort()
  return new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))
}

if (import.meta.main) {
  const sources = packageSources()
  const violations = [...sources].flatMap(([file, source]) => violationsOf(file, source))
  for (const { file, imported } of violations) console.error(`${file} may not import ${imported}`)
  const circles = circlesAmong(sources)
  for (const circle of circles) console.error(`circle: ${circle.join(' -> ')}`)
  const impurities = [...sources].flatMap(([file, source]) =>
    impuritiesOf(file, source).map((found) => ({ file, found })),
  )
  for (const { file, found } of impurities) console.error(`${file} may hold no clock, randomness or state: ${found}`)
  process.exitCode = violations.length + circles.length + impurities.length > 0 ? 1 : 0
}
