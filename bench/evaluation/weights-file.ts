/** The generated file that holds the weights of `balanced`. */
import { join } from 'node:path'
import type { LogisticSettings, LogisticWeights } from '../../src/core/policy/logistic.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Where the weights of `balanced` stand. */
export const WEIGHTS_FILE = join(ROOT, 'src', 'presets', 'balanced', 'balanced-weights.ts')

/** The file as it must read for a fitted model. */
export function weightsFile(model: LogisticSettings): string {
  const { intercept, weights, lacking = [], provenance } = model
  return `/** Weights of \`balanced\`. Written by \`npm run fit\`; do not edit. */
import type { LackingWeights, LogisticWeights } from '../../core/policy/logistic.ts'

/** Where the weights come from. */
export const BALANCED_PROVENANCE = '${provenance}'

/** With the collection's lexicon and a title. */
export const BALANCED_WEIGHTS: LogisticWeights = ${written({ intercept, weights })}

/** Without one of them, or both. */
export const BALANCED_LACKING: readonly LackingWeights[] = [
${lacking
  .map(
    ({ missing, ...fit }) =>
      `  {
    missing: [${missing.map((part) => `'${part}'`).join(', ')}],
${members(fit, '    ')}
  },`,
  )
  .join('\n')}
]
`
}

function written(fit: LogisticWeights): string {
  return `{\n${members(fit, '  ')}\n}`
}

function members({ intercept, weights }: LogisticWeights, indent: string): string {
  const lines = Object.entries(weights).map(([name, weight]) => `${indent}  ${name}: ${weight},`)
  return [`${indent}intercept: ${intercept},`, `${indent}weights: {`, ...lines, `${indent}},`].join('\n')
}
