/**
 * `npm test`: runs types, lint, format and all tests. The last line sums up all runners.
 *
 * `npm run test:deep` draws different and more examples for the property tests; then it simulates a million questions,
 * runs mutation tests, and soaks the Worker.
 *
 * A check that is a single command counts as one; vitest counts its tests.
 */
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Check, CHECKS, type Count, runBeside, runChecks, runChecksInPairs, SITE } from './check.ts'

/** `--deep`: ten times as many examples for property tests, different in each run; and slow checks. */
const deep = process.argv.includes('--deep')
const vitestArguments = process.argv.slice(2).filter((argument) => argument !== '--deep')

const DEEP_CHECKS: readonly Check[] = [
  SITE,
  ['simulation: a million questions', 'test/simulation/run.ts', '--questions=1000000', `--seed=${Date.now() % 1e9}`],
  ['soak: the Worker for an hour', 'test/deep/soak.ts', '60'],
  ['mutation', 'test/deep/mutation.ts'],
]

/** Space needed for temporary files, of which there are about 60 MB at a time. An hour's soak uses the disk. */
const ROOM = 2 ** 29

/** Folder for the tests' databases and temporary files: in memory if there is room, because D1 waits for the disk. */
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
    // No test contacts a server that needs them, and reading them costs each Worker a quarter of a second of CPU time.
    NODE_EXTRA_CA_CERTS: undefined,
  })
  try {
    // The format of vitest's JSON report.
    const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(readFileSync(report, 'utf8')) as {
      numPassedTests: number
      numFailedTests: number
    }
    // A file that does not load, or an error outside of a test, fails the run without failing a test.
    return { passed, failed: failed === 0 && !clean ? 1 : failed }
  } catch {
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const project = (name: string): Promise<Count> => runVitest('--project', name)

/** For the linter, which is written in Go: several threads would check shared types repeatedly, a quarter more work. */
const ONE_THREAD = { GOMAXPROCS: '1' }

/** Sequential, because the tests in workerd, which run in parallel, take longer than either. */
async function nodeAndChecks(): Promise<readonly Count[]> {
  return [await project('node'), await runChecksInPairs(CHECKS, ONE_THREAD)]
}

// End-to-end tests run alone: in parallel with computation they take half as long again.
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
