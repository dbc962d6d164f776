/**
 * `npm test`: types, lint, format and every test. The last line sums up all runners.
 *
 * `npm run test:deep` draws other examples for the properties, and more; then it mutates core and soaks the Worker.
 *
 * A check that is one command counts as one; vitest counts its tests.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './local-gate.ts'

interface Count {
  passed: number
  failed: number
}

/** `--deep`: properties with other examples in every run, and ten times as many; and the checks that take long. */
const deep = process.argv.includes('--deep')
const vitestArguments = process.argv.slice(2).filter((argument) => argument !== '--deep')

type Check = readonly [name: string, script: string, ...args: string[]]

const CHECKS: readonly Check[] = [
  ['types: core alone', 'node_modules/typescript/bin/tsc', '-p', 'src/core'],
  ['types: package and Workers', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  ['types: Node', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.node.json'],
  ['lint', 'node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  ['format', 'node_modules/oxfmt/bin/oxfmt', '--check', '.'],
]

const DEEP_CHECKS: readonly Check[] = [
  ['soak: the Worker for some minutes', 'test/deep/soak.ts'],
  ['mutation: core', 'test/deep/mutation.ts'],
]

function run(script: string, args: readonly string[]): boolean {
  const result = spawnSync(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: {
      ...process.env,
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_SEND_METRICS: 'false',
      TEST_DEEP: deep ? '1' : '0',
    },
  })
  return result.status === 0
}

function runChecks(checks: readonly Check[]): Count {
  const count = { passed: 0, failed: 0 }
  for (const [name, script, ...args] of checks) {
    const passed = run(script, args)
    console.log(`${passed ? '✓' : '✗'} ${name}`)
    if (passed) count.passed++
    else count.failed++
  }
  return count
}

function runVitest(args: readonly string[]): Count {
  const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-'))
  const report = join(directory, 'report.json')
  const clean = run('node_modules/vitest/vitest.mjs', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile=${report}`,
    ...args,
  ])
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

const counts = [runChecks(CHECKS), runVitest(vitestArguments), ...(deep ? [runChecks(DEEP_CHECKS)] : [])]
const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failed = counts.reduce((sum, count) => sum + count.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
