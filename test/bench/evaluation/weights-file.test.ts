import { DEEP } from '../../deep-run.ts'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FITTED_SETS, fitBalanced, measureSet } from '../../../bench/evaluation/balanced-model.ts'
import { haveQuestionSets, readQuestionSet } from '../../../bench/evaluation/question-sets.ts'
import { WEIGHTS_FILE, weightsFile } from '../../../bench/evaluation/weights-file.ts'

/** Fitting takes ten seconds, and its result changes with the sources of signals alone: `npm run test:deep`. */

describe('the weights of balanced', () => {
  it.runIf(DEEP)('equal what `npm run fit` writes, byte for byte', { timeout: 120_000 }, ({ skip }) => {
    if (!haveQuestionSets()) skip('the question sets are not here (../shared/data)')
    const model = fitBalanced(FITTED_SETS.map((name) => measureSet(readQuestionSet(name))))
    expect(readFileSync(WEIGHTS_FILE, 'utf8')).toBe(weightsFile(model))
  })
})
