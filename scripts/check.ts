/**
 * Checks that are single commands: `npm run typecheck` and `npm run lint`; `npm test` runs them all.
 *
 *   node scripts/run.mjs --with=all scripts/check.ts [types] [lint] [format] [site]
 */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT } from './local-gate.ts'

/** Numbers of passed and failed checks. */
export interface Count {
  passed: number
  failed: number
}

/** A check: its name, whose first word selects it, and the script with its arguments. */
export type Check = readonly [name: string, script: string, ...args: string[]]

const OXLINT = ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'] as const

/** Checks of the sources, the slowest first. The linter needs types anyway, so it also reports compiler errors. */
export const CHECKS: readonly Check[] = [
  ['types and lint', ...OXLINT, '--type-check'],
  ['types: core alone', 'node_modules/typescript/bin/tsc', '-p', 'src/core', '--singleThreaded'],
  ['types: the page of the Worker', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.page.json', '--singleThreaded'],
  ['lint: who imports whom', 'scripts/import-rules.ts'],
  ['format', 'node_modules/oxfmt/bin/oxfmt', '--check', '.'],
]

/** Builds the site; a test checks its links too. */
export const SITE: Check = [
  'site: the pages, and no dead link',
  'node_modules/vitepress/bin/vitepress.js',
  'build',
  'docs',
  '--logLevel=warn',
]

/** The linter alone, if only its dependencies are installed: the compiler would miss other packages. */
const LINT_ALONE: Check = ['lint', ...OXLINT]

/**
 * Environment of all commands: wrangler without telemetry and downloads; a larger Go heap, with which the linter needs
 * a quarter less CPU time.
 */
const ENVIRONMENT = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  GOGC: '400',
}

/** Runs a project script in parallel to others, printing its output line by line. @returns whether it succeeded */
export async function runBeside(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<boolean> {
  const child = spawn(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...ENVIRONMENT, ...env },
  })
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => console.log(line))
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}

/** Runs a project script. @returns whether it succeeded */
export function run(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): boolean {
  const result = spawnSync(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...ENVIRONMENT, ...env },
  })
  return result.status === 0
}

/** Runs checks one after the other, and prints a line for each. */
export function runChecks(checks: readonly Check[], env: Readonly<Record<string, string>> = {}): Count {
  const count = { passed: 0, failed: 0 }
  for (const [name, script, ...args] of checks) note(count, name, run(script, args, env))
  return count
}

function note(count: Count, name: string, passed: boolean): void {
  console.log(`${passed ? '✓' : '✗'} ${name}`)
  if (passed) count.passed++
  else count.failed++
}

/** Runs checks two at a time; the output of each is above its result line. */
export async function runChecksInPairs(
  checks: readonly Check[],
  env: Readonly<Record<string, string>> = {},
): Promise<Count> {
  const count = { passed: 0, failed: 0 }
  const left = [...checks]
  const runNext = async (): Promise<void> => {
    const check = left.shift()
    if (check === undefined) return
    const [name, script, ...args] = check
    const { stdout, stderr, passed } = await output(script, args, env)
    process.stdout.write(stdout + stderr)
    note(count, name, passed)
    await runNext()
  }
  await Promise.all([runNext(), runNext()])
  return count
}

function output(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly passed: boolean }> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, env: { ...process.env, ...ENVIRONMENT, ...env }, maxBuffer: 1e9 }
    execFile(process.execPath, [join(ROOT, script), ...args], options, (error, stdout, stderr) =>
      resolve({ stdout, stderr, passed: error === null }),
    )
  })
}

if (import.meta.main) {
  const wanted = process.argv.slice(2)
  const all = wanted.length === 0 ? CHECKS : [LINT_ALONE, ...CHECKS, SITE]
  const unknown = wanted.filter((word) => !all.some(([name]) => name.startsWith(word)))
  if (unknown.length > 0) throw new Error(`There is no check called ${unknown.join(', ')}`)
  const chosen = all.filter(([name]) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)))
  process.exitCode = (await runChecksInPairs(chosen)).failed > 0 ? 1 : 0
}
