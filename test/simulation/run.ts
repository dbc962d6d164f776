/**
 * Simulates questions under faults. A run that breaks a rule is printed with its seed, shortened while it still breaks it:
 *
 *   node scripts/run.mjs --with=test test/simulation/run.ts [--questions=10000] [--seed=1] [--each=400] [--bug="…"] [--shrink]
 *   [--first=100] [--last=100]
 *
 * The last line is JSON: `{ questions, seconds, digest, broken, heapMiB }`; `heapMiB` is the memory of the process after the
 * third run and at the end, since no run may leave anything in memory.
 */
import { parseArgs } from 'node:util'
import { plant, PLANTED_BUGS } from './planted.ts'

const { values } = parseArgs({ options: { bug: { type: 'string' } }, strict: false })
const bug = PLANTED_BUGS.find(({ name }) => name === values.bug)
if (values.bug !== undefined && bug === undefined) throw new Error(`There is no bug: ${String(values.bug)}`)
if (bug !== undefined) plant(bug)
await import('./runs.ts')
