/**
 * Runs before the Node tests: properties draw the same examples in every run of `npm test`, and other ones, ten times as
 * many, in `npm run test:deep`. A failing seed is printed with its counterexample.
 */
import * as fc from 'fast-check'

const SEED = 20_261_121

fc.configureGlobal(process.env['TEST_DEEP'] === '1' ? { numRuns: 1000 } : { seed: SEED })
