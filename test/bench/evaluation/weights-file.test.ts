import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FITTED_SETS, fitBalanced, measureSet } from '../../../bench/evaluation/balanced-model.ts'
import { FAMILY_SETS, haveQuestionSets, readQuestionSet } from '../../../bench/evaluation/question-sets.ts'
import { WEIGHTS_FILE, weightsFile, WORD_WEIGHTS_FILE } from '../../../bench/evaluation/weights-file.ts'
import {
  CANDIDATES_RANKED,
  RANKED_EVERY,
  rankableSet,
  wordWeightsFile,
} from '../../../bench/evaluation/word-ranker-model.ts'

describe('the weights of balanced', () => {
  it('are what npm run fit writes, byte for byte', { timeout: 120_000 }, ({ skip }) => {
    if (!haveQuestionSets()) skip('the question sets are not here (../shared/data)')
    const model = fitBalanced(FITTED_SETS.map((name) => measureSet(readQuestionSet(name))))
    expect(readFileSync(WEIGHTS_FILE, 'utf8')).toBe(weightsFile(model))
  })
})

describe('the weights of the word reranker', () => {
  it('are what npm run fit writes, byte for byte', { timeout: 120_000 }, ({ skip }) => {
    if (!haveQuestionSets()) skip('the question sets are not here (../shared/data)')
    const sets = FAMILY_SETS.map((name) =>
      rankableSet(readQuestionSet(name, { every: RANKED_EVERY[name] ?? 1, keep: CANDIDATES_RANKED })),
    )
    expect(readFileSync(WORD_WEIGHTS_FILE, 'utf8')).toBe(wordWeightsFile(sets))
  })
})
