/**
 * Fits the weights of `balanced` on the question sets and writes them into the sources.
 *
 *   npm run fit
 *
 * Reproducible: the same sets give the same file.
 */
import { writeFileSync } from 'node:fs'
import { FITTED_SETS, fitBalanced, measureSet } from './balanced-model.ts'
import { haveQuestionSets, readQuestionSet } from './question-sets.ts'
import { WEIGHTS_FILE, weightsFile } from './weights-file.ts'

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to fit.')
  process.exit(0)
}
const model = fitBalanced(FITTED_SETS.map((name) => measureSet(readQuestionSet(name))))
writeFileSync(WEIGHTS_FILE, weightsFile(model))
console.log(`${model.provenance}\n${JSON.stringify({ intercept: model.intercept, weights: model.weights })}`)
