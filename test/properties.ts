/**
 * Runs before the Node tests: properties draw the same examples in every run of `npm test`, and other ones, ten times as
 * many, in `npm run test:deep`. A failing seed is printed with its counterexample.
 */
import * as fc from 'fast-check'
import { DEEP } from './deep-run.ts'

const SEED = 20_261_121

/** A mutant is killed by the first counterexample: fewer examples, and no search for the smallest one. */
const RUNS_MUTATION: fc.GlobalParameters = { seed: SEED, numRuns: 25, endOnFailure: true }

const mutation = process.env['TEST_MUTATION'] === '1'
const runs = DEEP ? { numRuns: 1000 } : { seed: SEED }
fc.configureGlobal(mutation ? RUNS_MUTATION : runs)

/** So many examples, where a test asks for a number of its own: a tenth of them for a mutant, and `deep` of them in deep runs. */
export function examples(count: number, deep = count): number {
  if (mutation) return Math.ceil(count / 10)
  return DEEP ? deep : count
}
