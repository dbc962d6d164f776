/** Clamps and cleans the metadata that a model reports about its answer. */

/** Upper bound on token counts; larger values are clamped. */
export const MOST_TOKENS = 10_000_000

/** Maximum stored length of a model name, characters. */
const LONGEST_MODEL_NAME = 200

/** Token counts of one answer. */
export interface ReportedTokens {
  /** Whole, 0..10,000,000. */
  readonly inputTokens: number
  /** Whole, 0..10,000,000. */
  readonly outputTokens: number
}

/**
 * Token counts, made whole and clamped to 0..10,000,000.
 *
 * @returns `undefined` if neither is a number; if only one is missing, it counts as 0
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
 * A model name on one line, truncated to 200 characters.
 *
 * @returns `undefined` if there is none
 */
export function reportedModel(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  // Truncated before cleaning as well, so that the replacements never process megabytes.
  const shown = name
    .slice(0, 2 * LONGEST_MODEL_NAME)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_MODEL_NAME)
    .replace(/[\ud800-\udbff]$/, '')
  return shown === '' ? undefined : shown
}
