/**
 * The figures counted from decisions, one line each. The counting trigger (`counting.ts`, written to `migrations` by
 * `scripts/migrations.ts`), and the types, JSON, CSV and description of the statistics are derived from this table.
 */

/** A figure of the API, or an input of the savings. `as` is its unique short name, of one or two letters. */
export type Figure = { readonly as: string } & (
  | {
      readonly kind:
        /** The sum of its SQL's values; NULL adds nothing. */
        | 'count'
        /** A sum used for the savings. */
        | 'saving'
        /** Means by name: its SQL selects `name` and `value`, each name once. */
        | 'means'
        /** Number of decisions by its SQL's whole number; NULL is in no bin. */
        | 'bins'
    }
  /** A mean over the decisions for which its SQL is not NULL. */
  | { readonly kind: 'mean'; readonly unit: 'share' | 'ms' }
)

/** Figures by name. */
export type Figures = Readonly<Record<string, Figure>>

const count = (as: string) => ({ kind: 'count', as }) as const
const mean = (as: string, unit: 'share' | 'ms') => ({ kind: 'mean', as, unit }) as const
const means = (as: string) => ({ kind: 'means', as }) as const
const saving = (as: string) => ({ kind: 'saving', as }) as const
const bins = (as: string) => ({ kind: 'bins', as }) as const

/** The figures. */
export const FIGURES = {
  decisions: count('n'),
  confidence: mean('c', 'share'),
  totalMs: mean('t', 'ms'),
  retrievalMs: mean('r', 'ms'),
  generationMs: mean('g', 'ms'),
  modelCalls: count('m'),
  inputTokens: count('i'),
  outputTokens: count('o'),
  escalated: count('e'),
  // Judged, but ended with an error of the model or the handler.
  failed: count('f'),
  // Measurements of each gate for answers; an answer that it could not measure counts as 0.
  answerGates: means('a'),
  savedByRefusal: saving('sr'),
  savedByCache: saving('sc'),
  savedMeasured: saving('sm'),
  savedMeasuredInput: saving('mi'),
  savedMeasuredOutput: saving('mo'),
  savedEstimated: saving('se'),
  savedEstimatedInput: saving('ei'),
  savedEstimatedOutput: saving('eo'),
  savedPriced: saving('sp'),
  savedModelCost: saving('pm'),
  savedRetrievalCost: saving('pr'),
  // By twentieths of confidence, 0 to 19.
  confidenceBins: bins('b'),
  // Bin k is above 1.1^(k-1) up to 1.1^k milliseconds, so that a percentile is within 5 % of the exact one.
  latencyBins: bins('l'),
} as const satisfies Figures

const ESTIMATED = `coalesce(event.saved ->> 'estimated', 0)`
/** A member of a saving if its tokens were measured, or if they were estimated; else 0. */
const measured = (value: string) => `iif(${ESTIMATED}, 0, ${value})`
const estimated = (value: string) => `iif(${ESTIMATED}, ${value}, 0)`

/** SQL of each figure for a row `event` of `decisions`; in no bundle. */
export const FIGURE_SQL: Readonly<Record<keyof typeof FIGURES, string>> = {
  decisions: `1`,
  confidence: `event.confidence`,
  totalMs: `event.total_ms`,
  retrievalMs: `event.retrieval_ms`,
  generationMs: `event.generation_ms`,
  modelCalls: `event.model IS NOT NULL`,
  inputTokens: `event.input_tokens`,
  outputTokens: `event.output_tokens`,
  escalated: `event.escalate`,
  failed: `event.status >= 500`,
  answerGates: `
    SELECT finding.value ->> 'gate' AS name, max(coalesce(finding.value ->> 'actual', 0.0)) AS value
    FROM json_each(iif(event.answer_signals IS NULL, '[]', event.findings)) AS finding
    WHERE finding.value ->> 'stage' = 'post-generation' GROUP BY name`,
  savedByRefusal: `event.saved ->> 'by' = 'refusal'`,
  savedByCache: `event.saved ->> 'by' = 'cache'`,
  savedMeasured: /* @__PURE__ */ measured(`event.saved ->> 'inputTokens' IS NOT NULL`),
  savedMeasuredInput: /* @__PURE__ */ measured(`event.saved ->> 'inputTokens'`),
  savedMeasuredOutput: /* @__PURE__ */ measured(`event.saved ->> 'outputTokens'`),
  savedEstimated: ESTIMATED,
  savedEstimatedInput: /* @__PURE__ */ estimated(`event.saved ->> 'inputTokens'`),
  savedEstimatedOutput: /* @__PURE__ */ estimated(`event.saved ->> 'outputTokens'`),
  savedPriced: `event.saved ->> 'modelCost' IS NOT NULL`,
  savedModelCost: `event.saved ->> 'modelCost'`,
  savedRetrievalCost: `event.saved ->> 'retrievalCost'`,
  confidenceBins: `max(0, min(19, CAST(event.confidence * 20 + 1e-9 AS INTEGER)))`,
  latencyBins: `min(130, CAST(ceil(ln(max(event.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER))`,
}

/** Names of the figures of some kinds. */
export type FigureName<Of extends Figures, Kind extends Figure['kind']> = {
  [Name in keyof Of]: Of[Name]['kind'] extends Kind ? Name : never
}[keyof Of] &
  string

/** Number of answers that a gate measured, and the mean of its measurements. */
export interface NamedMean {
  readonly counted: number
  readonly mean: number
}

/** The figures shown in totals. A mean is called `meanX`, and is `null` if nothing was counted. */
export type Shown<Of extends Figures> = { readonly [Name in FigureName<Of, 'count'>]: number } & {
  readonly [Name in FigureName<Of, 'mean'> as `mean${Capitalize<Name>}`]: number | null
} & { readonly [Name in FigureName<Of, 'means'>]: Readonly<Record<string, NamedMean>> }

/** The name of a figure in totals; `undefined` if it is not shown. */
export function shownAs(name: string, { kind }: Figure): string | undefined {
  switch (kind) {
    case 'count':
    case 'means':
      return name
    case 'mean':
      return `mean${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
    case 'saving':
    case 'bins':
      return undefined
  }
}

/** Sums by figure for one combination of the fields in `CELL`: `x:count` and `x:sum` of a mean, `x:7` of a bin. */
export type Counts = Readonly<Record<string, number>>

/**
 * The same as stored in the rollups: with short names, and for a mean the number of decisions without a value, since
 * most have one, under a name that begins with a hyphen.
 */
export type StoredCounts = Readonly<Record<string, number>>

/**
 * Fields that the decisions of one entry of `counts` have in common, in the order of its key, a JSON array. New names
 * are only added at the end, with a migration of existing counts.
 */
export const CELL = ['verdict', 'band', 'cache', 'mode', 'reason', 'outcome', 'collection', 'policyId'] as const

/** SQL of these fields for a row `event` of `decisions`. */
export const CELL_SQL: Readonly<Record<(typeof CELL)[number], string>> = {
  verdict: `event.verdict`,
  band: `event.band`,
  cache: `event.cache`,
  mode: `event.mode`,
  reason: `event.reason`,
  outcome: `iif(event.status >= 500, 'failed', 'served')`,
  collection: `event.collection`,
  policyId: `event.policy_id`,
}

/** Number of parts that the collections of a tenant are divided into. */
export const PARTS = 2

/** Number of places for the decisions of one millisecond. */
export const PLACES_OF_A_MS = 2048

/** Waiting decisions from which counting is worthwhile, and size of slices: sums, and weak spots. */
export const WORTH_COUNTING = { sums: 50, weak_spots: 20_000 } as const
