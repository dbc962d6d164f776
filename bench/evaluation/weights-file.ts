/** The generated file with the weights of `balanced`. */
import { join } from 'node:path'
import type { LogisticSettings, LogisticWeights } from '../../src/core/policy/logistic.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Path of the file. */
export const WEIGHTS_FILE = join(ROOT, 'src', 'presets', 'balanced', 'balanced-weights.ts')

/** Content of the file for a fitted model. */
export function weightsFile(model: LogisticSettings): string {
  const { intercept, weights, provenance } = model
  return `/** Weights of \`balanced\`. Written by \`npm run fit\`; do not edit. */
import type { LogisticWeights } from '../../core/policy/logistic.ts'

/** Where the weights come from. */
export const BALANCED_PROVENANCE = '${provenance}'

/** Of the five signals. */
export const BALANCED_WEIGHTS: LogisticWeights = ${written({ intercept, weights })}
`
}

function written(fit: LogisticWeights): string {
  return `{\n${members(fit, '  ')}\n}`
}

function members({ intercept, weights }: LogisticWeights, indent: string): string {
  const lines = Object.entries(weights).map(([name, weight]) => `${indent}  ${name}: ${weight},`)
  return [`${indent}intercept: ${intercept},`, `${indent}weights: {`, ...lines, `${indent}},`].join('\n')
}
