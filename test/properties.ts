/**
 * Runs before the Node tests: properties draw the same examples in every run of `npm test`, and other ones, all that a test asks
 * for, in `npm run test:deep`. A failing seed is printed with its counterexample.
 */
import * as fc from 'fast-check'
import { DEEP } from './deep-run.ts'

const SEED = 20_261_121

/** Which share of the examples that a test asks for is drawn: `npm test` runs for every change, and has minutes. */
const SHARE = 1 / 10

/** A mutant is killed by the first counterexample: fewer examples, and no search for the smallest one. */
const RUNS_MUTATION: fc.GlobalParameters = { seed: SEED, numRuns: 25, endOnFailure: true }

const mutation = process.env['TEST_MUTATION'] === '1'
const runs = DEEP ? { numRuns: 1000 } : { seed: SEED, numRuns: 25 }
fc.configureGlobal(mutation ? RUNS_MUTATION : runs)

/**
 * So many examples, where a test asks for a number of its own: all in deep runs, a share in others. With `deep`, `count` is what
 * other runs draw.
 */
export function examples(count: number, deep?: number): number {
  if (DEEP) return deep ?? count
  return Math.ceil(count * (mutation ? 0.1 : deep === undefined ? SHARE : 1))
}
