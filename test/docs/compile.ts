/** Compiles examples of the documentation as their readers would, against the sources: in a checkout the packages' doors lead there. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { examplesOf, PAGES, patched, read, ROOT } from './pages.ts'

/**
 * What the reader of a fragment has already: an app, bindings, and calls of their own. Imports of the front door need
 * not be repeated in every fragment either.
 */
const GLOBALS = `
type Hono = import('hono').Hono
declare const app: Hono
declare const retriever: import('hono-rag-gate').Retriever
declare const env: {
  readonly UPSTASH_VECTOR_REST_URL: string
  readonly UPSTASH_VECTOR_REST_TOKEN: string
  readonly LLM_BASE_URL: string
  readonly LLM_API_KEY: string
  readonly OPENAI_API_KEY: string
  readonly SEARCH_KEY: string
  readonly INDEX_TOKEN: string
  readonly AI: import('@cloudflare/workers-types').Ai
  readonly INDEX: import('@cloudflare/workers-types').Vectorize
  readonly DB: import('@cloudflare/workers-types').D1Database
}
declare const INDEX_TOKEN: string
declare const Index: typeof import("@upstash/vector").Index
type Index = import("@upstash/vector").Index
declare const handler: import('hono').Handler
declare const texts: readonly string[]
declare function callYourModel(
  question: string,
  passages: string,
  caution?: string,
): Promise<{ readonly text: string; readonly model: string; readonly usage: { inputTokens: number; outputTokens: number } }>
declare function mySearch(
  namespace: string,
  question: string,
  topK: number,
): Promise<{ id: string; text: string; score: number }[]>
declare function searchYourIndex(
  question: string,
  topK: number,
  signal: AbortSignal,
): Promise<{ id: string; document: string; text: string; cosine: number }[]>
declare module '*.txt' {
  const text: string
  export default text
}
declare module 'gpt-tokenizer' {
  export function encode(text: string): number[]
}
`

/** Values and types of the front door. */
const FRONT_DOOR = [...read('src/index.ts').matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) =>
  names
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== ''),
)

/** A fragment, with the imports of the front door that it does without. */
function completed(code: string): string {
  const imported = [...code.matchAll(/import (?:type )?\{([^}]*)\}/g)].map(([, names = '']) => names).join(',')
  const missing = FRONT_DOOR.filter(
    (name) => new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`\\b${name}\\b`).test(imported),
  ).filter((name) => !new RegExp(`(?:const|function|interface|type|class) ${name}\\b`).test(code))
  return `${code}\nimport { ${missing.map((name) => (/^[A-Z][a-z]/.test(name) ? `type ${name}` : name)).join(', ')} } from 'hono-rag-gate'\nexport {}\n`
}

/** The page whose diffs change its first example. */
export const RECIPES = 'docs/recipes.md'

/** Name of the file that an example is for, where its first line says so. */
const nameIn = (code: string): string | undefined => /^\/\/ (\S+\.ts)\n/.exec(code)?.[1]

/** Every example in TypeScript: those of the pages, the recipes applied, and the apps of `examples`; code by file. */
export function everyExample(): Map<string, string> {
  const files = new Map<string, string>()
  for (const page of PAGES) {
    for (const { line, code } of examplesOf(page, 'ts')) files.set(`${page}/${nameIn(code) ?? `line-${line}.ts`}`, code)
  }
  const [app] = examplesOf(RECIPES, 'ts')
  for (const { line, code } of examplesOf(RECIPES, 'diff')) {
    files.set(`${RECIPES}/diff-${line}.ts`, patched(app!.code, code))
  }
  for (const name of readdirSync(join(ROOT, 'examples')).filter((each) => each.endsWith('.ts'))) {
    files.set(name, read(`examples/${name}`))
  }
  return files
}

/** Writes examples into a folder, with what their readers have already. @returns names of the files to be compiled */
export function writeExamples(folder: string, files: ReadonlyMap<string, string>): string[] {
  for (const [name, code] of files) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, completed(code))
  }
  writeFileSync(join(folder, 'globals.d.ts'), GLOBALS)
  return ['globals.d.ts', ...files.keys()]
}

/**
 * Type-checks examples, each a module of its own, strictly and as wrangler's template does.
 *
 * @param folder empty, outside of the repository
 * @param files code by the name of its file
 * @returns what the compiler says, a line for each fault
 */
export function compile(folder: string, files: ReadonlyMap<string, string>): string[] {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const written = writeExamples(folder, files)
  const compilerOptions = {
    target: 'ES2022',
    module: 'ESNext',
    moduleResolution: 'bundler',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noImplicitOverride: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    lib: ['ES2022', 'ESNext.Disposable'],
    types: ['@cloudflare/workers-types'],
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: [join(ROOT, 'packages/vector-index/src/wasm.d.ts'), ...written] }),
  )
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false', '--singleThreaded'],
    { encoding: 'utf8' },
  )
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => /error TS/.test(line))
  return status === 0 || lines.length > 0 ? lines : [`tsc ended with ${status}: ${stdout}${stderr}`]
}
