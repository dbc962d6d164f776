/** The simulation of questions under faults, each in its own process: it replaces clocks, timers and randomness. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundledRun } from './bundled.ts'
import { DEEP } from '../deep-run.ts'
import { changesOf, PLANTED_BUGS } from './planted.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const LIMIT_MS = 600_000
/** Flags for short processes, which end before the compiler and the collector pay off. */
const FLAGS = ['--always-sparkplug', '--min-semi-space-size=64', '--max-semi-space-size=64']

/** Characters in the digest of one run. */
const DIGEST = 8

/** The last line of a run. */
interface Ended {
  readonly questions: number
  readonly digest: string
  readonly broken?: { readonly seed: number; readonly rule: string }
}

/** Runs it. Its output is shown if it fails. */
async function simulated(file: string, ...options: string[]): Promise<Ended & { readonly printed: string }> {
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, [...FLAGS, file, ...options], { cwd: ROOT, maxBuffer: 1e8 }, (_, out, errors) =>
      resolve(`${out}${errors}`),
    )
  })
  const last = printed
    .trim()
    .split('\n')
    .findLast((line) => line.startsWith('{"questions"'))
  // Printed by `run.ts`.
  return { ...(JSON.parse(last ?? '{}') as Ended), printed }
}

test(
  'ten thousand questions under faults break no rule, and the same seed gives the same run',
  async () => {
    const file = await bundledRun('run')
    const [before, after] = await Promise.all([
      simulated(file, '--questions=5000', '--each=1000', '--seed=1', '--last=100'),
      // The same hundred, in a process that asked nothing before.
      simulated(file, '--questions=5000', '--each=1000', '--seed=6', '--first=100'),
    ])
    expect([before, after].map(({ broken, printed }) => broken && printed)).toEqual([undefined, undefined])
    expect(before.questions + after.questions).toBe(10_200)
    expect(before.digest.slice(-DIGEST)).toBe(after.digest.slice(0, DIGEST))
  },
  LIMIT_MS,
)

test(
  'a run that breaks a rule is printed with only the steps that it needs',
  async () => {
    const [bug] = PLANTED_BUGS
    const { printed } = await simulated(await bundledRun('shrunk', bug), `--bug=${bug!.name}`, '--each=6', '--shrink')
    // One caller asks, and another gets the answer.
    expect(printed).toContain('The same in 2 of')
    expect(printed.match(/^\{"seed".*"kind":"asks".*$/gm)).toHaveLength(2)
  },
  LIMIT_MS,
)

describe('a planted bug is found', () => {
  test.each(PLANTED_BUGS)('$name: its line exists in the sources', (bug) => {
    expect(changesOf(bug).length).toBeGreaterThan(0)
  })

  // From seed 1, as the page has them. Otherwise the test above finds one of them.
  test.runIf(DEEP).each(PLANTED_BUGS)(
    '$name',
    async (bug) => {
      const file = await bundledRun(`bug-${PLANTED_BUGS.indexOf(bug)}`, bug)
      const { broken, questions, printed } = await simulated(file, `--bug=${bug.name}`, '--seed=1')
      expect(broken, printed).toBeDefined()
      expect(questions).toBeLessThanOrEqual(10_000)
    },
    LIMIT_MS,
  )
})

test.runIf(DEEP)(
  'decisions are checked after each step, not only at the end of a run',
  async () => {
    const bug = PLANTED_BUGS.find(({ name }) => name === 'a decision written twice is stored twice')!
    const { questions } = await simulated(await bundledRun('steps', bug), `--bug=${bug.name}`, '--questions=400')
    expect(questions).toBeLessThan(200)
  },
  LIMIT_MS,
)

test('docs/internal/testing.md lists every planted bug', () => {
  const page = readFileSync(join(ROOT, 'docs', 'internal', 'testing.md'), 'utf8')
  for (const { name } of PLANTED_BUGS) expect(page).toContain(`| ${name} `)
})
