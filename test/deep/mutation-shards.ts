/** Which files of `src/core` are mutated together, and which tests may kill at first. */
import { existsSync, globSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ROOT } from '../../scripts/local-gate.ts'

/** Every test of core. */
export const ALL_TESTS: readonly string[] = ['test/core/**/*.test.ts']

/** A table that a script wrote. */
const LEFT_OUT = ['src/presets/balanced/balanced-weights.ts']

/** Made when it is loaded, and a contract. */
const TEXTS = 'src/core/reports/messages.ts'

/** Files through which every test goes: only their own tests may kill, else each mutant would cost the whole suite. */
const GROUND: readonly string[] = ['canonical', 'ids', 'lexicon', 'sha256', 'stem', 'text'].map(
  (name) => `src/core/${name}.ts`,
)

/** Where tests of a file, or of a folder's files, stand beside their mirrors. */
const ALSO_TESTED_BY: Readonly<Record<string, readonly string[]>> = {
  'src/core/policy/policy.ts': ['test/core/policy/judge-answer.test.ts'],
  'src/core/signals': ['measure', 'reading', 'retrieval-signals'].map((name) => `test/core/${name}.test.ts`),
}

/** So much source is mutated at once, bytes: what is mutated runs slower, for its neighbours' tests too. */
const SHARD_BYTES = 30_000

/** Files that are mutated in one run of Stryker. */
export interface Shard {
  readonly name: string
  readonly files: readonly string[]
  /** Globs of the tests that may kill. */
  readonly tests: readonly string[]
  /** Mutants in what runs once, when a module is loaded: each needs all of the tests, so only few tests. */
  readonly staticMutants: 'tested' | 'ignored'
}

/** The files that are mutated. @param globs of them @default all of core */
export function mutatedFiles(globs: readonly string[]): readonly string[] {
  const files = globSync(globs.length > 0 ? [...globs] : ['src/core/**/*.ts'], { cwd: ROOT })
  return files.filter((file) => !LEFT_OUT.includes(file)).sort()
}

/** Whether tests of other files may kill what a file's own left alive. */
export function mayAskOthers(file: string): boolean {
  return file !== TEXTS && !GROUND.includes(file)
}

/** Shards of the first round: a folder of core is one, its root is several. */
export function shardsOf(files: readonly string[]): readonly Shard[] {
  const shards: Shard[] = []
  const add = (name: string, files: readonly string[], tests: readonly string[]): void => {
    if (files.length === 0) return
    // Without a test of its own, a file alone is held against all of them at once.
    const asked = tests.length > 0 ? tests : ALL_TESTS
    shards.push({ name, files, tests: asked, staticMutants: name === 'texts' ? 'tested' : 'ignored' })
  }
  const inRoot = files.filter((file) => dirname(file) === 'src/core')
  const ownTests = (mirrored: readonly string[]): readonly string[] =>
    mirrored.flatMap((file) => [ownTest(file), ...(ALSO_TESTED_BY[file] ?? [])]).filter(existsInRoot)
  add(
    'texts',
    inRoot.filter((file) => file === TEXTS),
    [ownTest(TEXTS)],
  )
  const ground = inRoot.filter((file) => GROUND.includes(file))
  add('ground', ground, ownTests(ground))
  for (const folder of new Set(files.filter((file) => !inRoot.includes(file)).map((file) => dirname(file)))) {
    const inFolder = files.filter((file) => dirname(file) === folder)
    add(basename(folder), inFolder, [
      `${folder.replace('src', 'test')}/**/*.test.ts`,
      ...(ALSO_TESTED_BY[folder] ?? []),
    ])
  }
  chunked(inRoot.filter(mayAskOthers)).forEach((chunk, at) => add(`core-${at + 1}`, chunk, ownTests(chunk)))
  return shards
}

const ownTest = (file: string): string => file.replace(/^src\/(.*)\.ts$/, 'test/$1.test.ts')

const existsInRoot = (file: string): boolean => existsSync(join(ROOT, file))

function chunked(files: readonly string[]): readonly (readonly string[])[] {
  const chunks: string[][] = []
  let bytes = Infinity
  for (const file of files) {
    bytes += statSync(join(ROOT, file)).size
    if (bytes > SHARD_BYTES) {
      chunks.push([])
      bytes = statSync(join(ROOT, file)).size
    }
    chunks.at(-1)!.push(file)
  }
  return chunks
}
