/**
 * Fits the weights of `balanced` and of the word reranker on the question sets and writes them into the sources.
 *
 *   npm run fit
 *
 * The same sets give the same file, byte for byte.
 */
import { writeFileSync } from 'node:fs'
import { FITTED_SETS, fitBalanced, measureSet } from './balanced-model.ts'
import { FAMILY_SETS, haveQuestionSets, readQuestionSet } from './question-sets.ts'
import { WEIGHTS_FILE, weightsFile, WORD_WEIGHTS_FILE } from './weights-file.ts'
import { CANDIDATES_RANKED, RANKED_EVERY, rankableSet, wordWeightsFile } from './word-ranker-model.ts'

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to fit.')
  process.exit(0)
}
const model = fitBalanced(FITTED_SETS.map((name) => measureSet(readQuestionSet(name))))
writeFileSync(WEIGHTS_FILE, weightsFile(model))
console.log(`${model.provenance}\n${JSON.stringify({ intercept: model.intercept, weights: model.weights })}`)

const ranked = FAMILY_SETS.map((name) =>
  rankableSet(readQuestionSet(name, { every: RANKED_EVERY[name] ?? 1, keep: CANDIDATES_RANKED })),
)
writeFileSync(WORD_WEIGHTS_FILE, wordWeightsFile(ranked))
