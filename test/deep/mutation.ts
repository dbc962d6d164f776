/**
 * Mutation tests of `src/core`: every operator, condition and text is changed once, and some test must notice.
 *
 *   node scripts/run.mjs test/deep/mutation.ts [globs]
 *
 * Part of `npm run test:deep`. Prints the mutants that nobody noticed and the share killed by folder, and fails when
 * fewer than `THRESHOLD` of them are. Mutants that time out count neither way. Golden vectors outside the repository
 * are left out: the share is that of the repository's own tests.
 */
import { relative } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { ROOT } from '../../scripts/local-gate.ts'

const THRESHOLD = 0.9
const ALL_TESTS = 'test/core/**/*.test.ts'
/** Files through which every test goes: only their own tests may kill, else each mutant would cost the whole suite. */
const GROUND = ['canonical', 'ids', 'lexicon', 'sha256', 'stem', 'text']
const GROUND_FILES = GROUND.map((name) => `src/core/${name}.ts`)
/** Made when it is loaded. */
const TEXTS = 'src/core/messages.ts'
/** Tables that scripts wrote. */
const GENERATED = ['src/core/profiles/balanced-weights.ts', 'src/core/english-table.ts']
const OTHER_FILES = [
  'src/core/**/*.ts',
  ...GENERATED.map((file) => `!${file}`),
  ...[...GROUND_FILES, TEXTS].map((file) => `!${file}`),
]

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

/**
 * @param tests glob of the tests that may kill
 * @param staticMutants those in what runs once, when a module is loaded: each needs all of the tests, so only few tests
 */
async function mutate(globs: readonly string[], tests: string, staticMutants: 'tested' | 'ignored'): Promise<Mutant[]> {
  process.env['MUTATION_TESTS'] = tests
  return new Stryker({
    mutate: [...globs],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/deep/mutation.vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    ignoreStatic: staticMutants === 'ignored',
    concurrency: 2,
    reporters: ['progress-append-only'],
    // Stryker would rewrite the tsconfig with TypeScript's JavaScript API, which TypeScript 7 does not have.
    tsconfigFile: 'none',
    // Vitest strips types without checking them; the parser behind this does not know the kernel's language.
    disableTypeChecks: false,
  }).runMutationTest()
}

const UNNOTICED: readonly string[] = ['Survived', 'NoCoverage']

function folderOf({ fileName }: Mutant): string {
  const [, folder = ''] = /^src\/core\/(?:(\w+)\/)?/.exec(relative(ROOT, fileName)) ?? []
  return folder === '' ? 'core' : `core/${folder}`
}

function describeMutant({ fileName, location, mutatorName, replacement }: Mutant): string {
  const change = (replacement ?? '').replaceAll(/\s+/g, ' ').slice(0, 100)
  return `${relative(ROOT, fileName)}:${location.start.line}:${location.start.column} ${mutatorName} → ${change}`
}

function share(name: string, mutants: readonly Mutant[]): number {
  const count = (...statuses: string[]): number => mutants.filter(({ status }) => statuses.includes(status)).length
  const killed = count('Killed')
  const judged = killed + count(...UNNOTICED)
  const percent = ((killed / judged) * 100).toFixed(1)
  const besides = `${count('Timeout')} timed out, ${count('Ignored')} at module load`
  console.log(`${name.padEnd(18)} ${percent.padStart(5)} %   ${killed} of ${judged} killed; ${besides}`)
  return killed / judged
}

process.env['TEST_MUTATION'] = '1'
const globs = process.argv.slice(2)
const mutants =
  globs.length > 0
    ? await mutate(globs, process.env['MUTATION_TESTS'] ?? ALL_TESTS, 'ignored')
    : [
        ...(await mutate([TEXTS], 'test/core/messages.test.ts', 'tested')),
        ...(await mutate(GROUND_FILES, `test/core/{${GROUND.join(',')}}.test.ts`, 'ignored')),
        ...(await mutate(OTHER_FILES, ALL_TESTS, 'ignored')),
      ]
for (const mutant of mutants.filter(({ status }) => UNNOTICED.includes(status))) console.log(describeMutant(mutant))
for (const folder of [...new Set(mutants.map(folderOf))].sort()) {
  share(
    folder,
    mutants.filter((mutant) => folderOf(mutant) === folder),
  )
}
const total = share('all', mutants)
if (!(total >= THRESHOLD)) process.exitCode = 1
