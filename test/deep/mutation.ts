/**
 * Mutation tests of what decides, and of what keeps answers and counts (`mutation-shards.ts`): every operator, condition
 * and text is changed once, and some test must notice.
 *
 *   node scripts/run.mjs test/deep/mutation.ts [--continue] [--own] [globs]
 *
 * Part of `npm run test:deep`. A first round mutates a few files at a time and runs their own tests; a second runs every
 * such test on what is left alive. Prints how long each part took, the mutants that no test noticed and the share
 * killed by folder, and fails when fewer than `THRESHOLD` of them are. Mutants that time out count neither way. Golden
 * vectors outside the repository are left out: the share is that of the repository's own tests.
 *
 * `--continue` takes over what an earlier run found, where neither code nor tests have changed since: for a run that was
 * cut off. Without it everything is run. `--own` leaves out the second round: what a folder's own tests kill.
 */
import { rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ROOT } from '../../scripts/local-gate.ts'
import {
  afterSecondRound,
  folderTable,
  type Mutant,
  placeOf,
  rangeOf,
  shareKilled,
  unnoticed,
} from './mutation-report.ts'
import { ALL_TESTS, mutatedFiles, type Shard, shardsOf } from './mutation-shards.ts'

/** The part of Stryker's API in use: only `npm run test:deep` installs it, and the linter runs without it. */
type Stryker = new (options: object) => {
  runMutationTest(): Promise<readonly (Omit<Mutant, 'file'> & { readonly fileName: string })[]>
}
const STRYKER = '@stryker-mutator/core'
const { Stryker } = (await import(STRYKER)) as { readonly Stryker: Stryker }

const THRESHOLD = 0.9
/** Ignored by git, and by Stryker, which copies the repository for each run. */
const RESULTS = 'tmp/mutation'

const continues = process.argv.includes('--continue')
const ownTestsAlone = process.argv.includes('--own')
const globs = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

/** @param mutate files, or ranges of them */
async function run({ name, files, tests }: Shard, mutate: readonly string[] = files): Promise<Mutant[]> {
  const startedMs = performance.now()
  const incrementalFile = join(RESULTS, `${name}.json`)
  if (!continues) rmSync(join(ROOT, incrementalFile), { force: true })
  process.env['MUTATION_TESTS'] = JSON.stringify(tests)
  const results = await new Stryker({
    mutate: [...mutate],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/deep/mutation.vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // Code that runs once, at module load, would need every test for each mutant.
    ignoreStatic: true,
    concurrency: 2,
    reporters: ['progress-append-only'],
    ignorePatterns: [RESULTS],
    incremental: true,
    incrementalFile,
    // A file of types has nothing to mutate, and some files have no test of their own.
    allowEmpty: true,
    // Stryker would rewrite the tsconfig with TypeScript's JavaScript API, which TypeScript 7 does not have.
    tsconfigFile: 'none',
    // Vitest strips types without checking them; the parser behind this does not know the kernel's language.
    disableTypeChecks: false,
  }).runMutationTest()
  const mutants = results
    .map(({ fileName, location, mutatorName, replacement, status }) => ({
      file: relative(ROOT, fileName),
      location,
      mutatorName,
      replacement: replacement ?? '',
      status,
    }))
    // The reused results may contain files that an earlier run put into this shard.
    .filter(({ file }) => files.includes(file))
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  console.log(`${name}: ${seconds} s for ${mutants.length} mutants, ${unnoticed(mutants).length} left alive`)
  return mutants
}

process.env['TEST_MUTATION'] = '1'
const first: Mutant[] = []
for (const shard of shardsOf(mutatedFiles(globs))) first.push(...(await run(shard)))

const alive = unnoticed(first)
const everyTest: Shard = {
  name: 'every-test',
  files: [...new Set(alive.map(({ file }) => file))],
  tests: ALL_TESTS,
}
const second = ownTestsAlone || alive.length === 0 ? [] : await run(everyTest, [...new Set(alive.map(rangeOf))])

const mutants = afterSecondRound(first, second)
for (const mutant of unnoticed(mutants)) console.log(placeOf(mutant))
console.log(`\n${folderTable(mutants)}`)
if (!(shareKilled(mutants) >= THRESHOLD)) process.exitCode = 1
