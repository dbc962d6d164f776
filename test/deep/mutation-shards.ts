/** Files that are mutated together, and the tests run first: what decides, and what keeps answers and counts, folder by folder. */
import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../../scripts/local-gate.ts'

/** What decides, and what keeps answers apart and counts exact. Code tested in workerd takes ten times as long: it is named. */
const MUTATED = [
  'src/core/**/*.ts',
  'src/language/**/*.ts',
  'packages/{calibration,presets}/src/**/*.ts',
  'packages/messages/src/small-talk/*.ts',
  'src/cache/*.ts',
  'src/{http,middleware,pipeline}/*.ts',
  'src/adapters/{,answer-cache/,coalescing/,decision-log/}*.ts',
]

/** All tests of the mutated code. */
export const ALL_TESTS: readonly string[] = [
  'core',
  'language',
  'calibration',
  'presets',
  'messages',
  'cache',
  'adapters',
  'http',
  'middleware',
  'pipeline',
].map((folder) => `test/${folder}/**/*.test.ts`)

/** Further tests of a folder. */
const ALSO_TESTED_BY: Readonly<Record<string, readonly string[]>> = {
  'src/core/policy': ['test/presets/**/*.test.ts'],
  'src/adapters/coalescing': ['test/adapters/memory-coalescer.test.ts'],
  'packages/cloudflare/src': ['test/cloudflare/*.workerd.ts'],
  'packages/console/src/api': ['test/console/*.test.ts'],
  // Without those that count the rows read.
  'packages/console/src/d1': ['test/console/d1/!(many-tenants|rows-read).workerd.ts'],
  'packages/console/src/feedback': ['test/console/console.workerd.ts', ...gates('feedback')],
  'packages/console/src/jobs': ['test/console/jobs/*.workerd.ts'],
  'packages/console/src/keys': ['test/console/d1/api-keys.workerd.ts'],
  'packages/console/src/limits': ['test/console/limits/*.workerd.ts'],
  'packages/ingest/src': ['test/ingest/write-corpus.workerd.ts'],
  'packages/ingest/src/d1': ['test/ingest/{,d1/}*.workerd.ts'],
  'packages/ingest/src/idempotency': ['test/ingest/d1/idempotency.workerd.ts'],
  'packages/ingest/src/markdown': ['test/ingest/markdown/*.workerd.ts'],
  'packages/ingest/src/markdown/html': ['test/ingest/markdown/*.workerd.ts'],
  'packages/models/src/http': ['test/models/*.test.ts'],
  'packages/upstream/src/http': ['test/upstream/*.test.ts', 'test/models/*.test.ts'],
}

/** Tests of the ready Worker. */
function gates(...names: string[]): string[] {
  return names.map((name) => `test/workers/gate/${name}.workerd.ts`)
}

/** Files that are mutated in one run of Stryker. */
export interface Shard {
  readonly name: string
  readonly files: readonly string[]
  /** Globs of the tests that may kill. */
  readonly tests: readonly string[]
}

/** The mutated files. @param globs of them @default all deciding code */
export function mutatedFiles(globs: readonly string[]): readonly string[] {
  return globSync(globs.length > 0 ? [...globs] : MUTATED, { cwd: ROOT }).sort()
}

/** Shards of the first round: a folder is one. */
export function shardsOf(files: readonly string[]): readonly Shard[] {
  return [...new Set(files.map((file) => dirname(file)))].map((folder) => ({
    name: folder.replaceAll('/', '-'),
    files: files.filter((file) => dirname(file) === folder),
    tests: [`${testsOf(folder)}/**/*.test.ts`, ...(ALSO_TESTED_BY[folder] ?? [])],
  }))
}

/** The tests of a package stand under its name, those of the gate at their path; a folder without its own has those around it. */
function testsOf(folder: string): string {
  const own = folder.replace(/^packages\/([^/]+)\/src/, 'test/$1').replace(/^src/, 'test')
  return existsSync(join(ROOT, own)) ? own : dirname(own)
}
