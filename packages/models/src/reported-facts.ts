/** What a model reports of its own answer, brought within bounds before it is counted or stored. */

/** More tokens than any answer has; a larger count is taken for this. */
export const MOST_TOKENS = 10_000_000

/** Characters of a model's name that are kept. */
const LONGEST_MODEL_NAME = 200

/** Tokens of one answer. */
export interface ReportedTokens {
  /** Whole, 0..10,000,000. */
  readonly inputTokens: number
  /** Whole, 0..10,000,000. */
  readonly outputTokens: number
}

/**
 * Token counts as they may be stored: whole and within 0..10,000,000.
 *
 * @returns `undefined` when neither is a number; one that is missing beside the other counts 0
 */
export function reportedTokens(input: unknown, output: unknown): ReportedTokens | undefined {
  const [inputTokens, outputTokens] = [tokens(input), tokens(output)]
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  return { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0 }
}

function tokens(count: unknown): number | undefined {
  if (typeof count !== 'number' || Number.isNaN(count)) return undefined
  return Math.floor(Math.min(Math.max(count, 0), MOST_TOKENS))
}

/**
 * A model's name as it may be stored and shown: on one line, at most 200 characters.
 *
 * @returns `undefined` when there is none
 */
export function reportedModel(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  // Cut twice: what replaces characters need not walk through megabytes.
  const shown = name
    .slice(0, 2 * LONGEST_MODEL_NAME)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_MODEL_NAME)
    .replace(/[\ud800-\udbff]$/, '')
  return shown === '' ? undefined : shown
}
