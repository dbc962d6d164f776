/** The runs that `run.ts` starts, of the sources as loaded. */
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { shrink } from './shrink.ts'
import { simulate } from './simulate.ts'
import { stepsOf } from './steps.ts'

const { values } = parseArgs({
  options: {
    questions: { type: 'string', default: '10000' },
    /** Seed of the first run; each further run has the next. */
    seed: { type: 'string', default: '1' },
    /** Questions per run. */
    each: { type: 'string', default: '400' },
    /** Name of the planted bug. */
    bug: { type: 'string' },
    /** Questions of an extra run under seed 0, before or after all others. */
    first: { type: 'string', default: '0' },
    last: { type: 'string', default: '0' },
    /** Shortens failing runs with a planted bug too, not only those without one. */
    shrink: { type: 'boolean', default: false },
  },
})

const each = Number(values.each)
const outcomes = new Map<string, number>()
const faults = new Map<string, number>()
const add = (to: Map<string, number>, from: ReadonlyMap<string, number>): void =>
  from.forEach((count, name) => to.set(name, (to.get(name) ?? 0) + count))
const table = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

setFlagsFromString('--expose-gc')
// The flag is missing from the types of the new context.
const collect = runInNewContext('gc') as () => void
/** Reachable memory, MiB. */
function heap(): number {
  collect()
  return Math.round(process.memoryUsage().heapUsed / 2 ** 20)
}
/** Number of runs until modules have filled their caches. */
const WARM = 3
/** Allowed growth since then, for what still runs before it is collected, and for texts that are remembered. */
const MORE_MIB = 12

let runs = 0
let warm: number | undefined
let questions = 0
let digest = ''
let broken: object | undefined
/** Errors are created by the dozen here, and their stacks are a tenth of all the work. */
const stackTraceLimit = Error.stackTraceLimit
Error.stackTraceLimit = 0
const startedMs = performance.now()
/** Seeds and numbers of questions of the runs. */
const plans: (readonly [seed: number, asked: number])[] = [
  [0, Number(values.first)],
  ...Array.from(
    { length: Math.ceil(Number(values.questions) / each) },
    (_, at) => [Number(values.seed) + at, each] as const,
  ),
  [0, Number(values.last)],
]
for (const [seed, asked] of plans) {
  if (asked === 0) continue
  const steps = stepsOf(seed, asked)
  const run = await simulate(seed, steps)
  const [violation] = run.violations
  questions += violation?.questions ?? run.questions
  digest = `${digest}${run.digest}`.slice(-64)
  add(outcomes, run.outcomes)
  add(faults, run.faults)
  if (++runs === WARM) warm = heap()
  if (violation === undefined) continue
  broken = { seed, rule: violation.rule }
  console.log(`seed ${seed}: ${violation.rule}\n${violation.detail}`)
  if (values.bug !== undefined && !values.shrink) break
  // Reported at the end.
  Error.stackTraceLimit = stackTraceLimit
  const short = await shrink(seed, steps, run)
  console.log(`The same in ${short.steps.length} of ${steps.length} steps:`)
  for (const step of short.steps) console.log(JSON.stringify(step))
  console.log(short.run.violations[0]?.detail)
  break
}
console.log(`answers: ${table(outcomes)}`)
console.log(`faults: ${table(faults)}`)
const seconds = Number(((performance.now() - startedMs) / 1000).toFixed(1))
const heapMiB = [warm, heap()] as const
if (heapMiB[1] > (warm ?? Infinity) + MORE_MIB) broken ??= { rule: 'memory is bounded' }
console.log(JSON.stringify({ questions, seconds, digest, broken, heapMiB }))
process.exitCode = broken === undefined ? 0 : 1
