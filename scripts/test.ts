/**
 * `npm test`: types, lint, format and every test. The last line sums up all runners.
 *
 * `npm run test:deep` draws other examples for the properties, and more; then it simulates a million questions, mutates core and soaks
 * the Worker.
 *
 * A check that is one command counts as one; vitest counts its tests.
 */
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Check, CHECKS, type Count, runBeside, runChecks, runChecksInPairs, SITE } from './check.ts'

/** `--deep`: properties with other examples in every run, and ten times as many; and the checks that take long. */
const deep = process.argv.includes('--deep')
const vitestArguments = process.argv.slice(2).filter((argument) => argument !== '--deep')

const DEEP_CHECKS: readonly Check[] = [
  SITE,
  ['simulation: a million questions', 'test/simulation/run.ts', '--questions=1000000', `--seed=${Date.now() % 1e9}`],
  ['soak: the Worker for an hour', 'test/deep/soak.ts', '60'],
  ['mutation: core', 'test/deep/mutation.ts'],
]

/** Bytes for temporary files of `npm test`, of which there are some 60 MB at a time. Those of an hour's soak are left on the disk. */
const ROOM = 2 ** 29

/** Where databases and other temporary files of the tests are kept: in memory where there is room, for D1 waits for a disk. */
function temporaryFolder(): string {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > ROOM ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}

const env = { TEST_DEEP: deep ? '1' : '0' }

async function runVitest(...args: readonly string[]): Promise<Count> {
  const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-'))
  const report = join(directory, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`]
  const clean = await runBeside('node_modules/vitest/vitest.mjs', ['run', ...reporters, ...args], {
    ...env,
    TMPDIR: temporaryFolder(),
    // No test asks a server that needs them, and each Worker that is started reads all of them: a quarter of a second of a processor.
    NODE_EXTRA_CA_CERTS: undefined,
  })
  try {
    // The form of vitest's own JSON report.
    const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(readFileSync(report, 'utf8')) as {
      numPassedTests: number
      numFailedTests: number
    }
    // A file that does not load, or an error outside a test, fails the run without failing a test.
    return { passed, failed: failed === 0 && !clean ? 1 : failed }
  } catch {
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const project = (name: string): Promise<Count> => runVitest('--project', name)

/** For Go, in which the linter is written: types that several threads check at a time are checked several times, a quarter more work. */
const ONE_THREAD = { GOMAXPROCS: '1' }

/** One after the other: the tests in a Worker's runtime, beside which they run, take longer than either. */
async function nodeAndChecks(): Promise<readonly Count[]> {
  return [await project('node'), await runChecksInPairs(CHECKS, ONE_THREAD)]
}

// Journeys have the machine for themselves: beside what computes they wait half as long again.
const counts = [
  ...(vitestArguments.length > 0
    ? [await runChecksInPairs(CHECKS), await runVitest(...vitestArguments)]
    : [...(await Promise.all([nodeAndChecks(), project('workerd')])).flat(), await project('e2e')]),
  ...(deep ? [runChecks(DEEP_CHECKS, env)] : []),
]
const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failed = counts.reduce((sum, count) => sum + count.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
