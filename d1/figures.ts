/**
 * What is counted of decisions: one line a figure. The trigger that counts (`counting.ts`, written to `migrations` by
 * `scripts/migrations.ts`), the types of the statistics, their JSON, CSV and description follow from this table.
 */

/** Part of the answers of the API, or input of the savings. `as` is its name in the rollups, one or two letters that no other figure has. */
export type Figure = { readonly as: string } & (
  | {
      readonly kind:
        /** A sum. What its SQL gives is added; NULL adds nothing. */
        | 'count'
        /** A sum that the savings are made of. */
        | 'saving'
        /** Means by name: its SQL selects `name` and `value`, each name once. */
        | 'means'
        /** Decisions by the whole number that its SQL gives; NULL is in no bin. */
        | 'bins'
    }
  /** A mean, of the decisions for which its SQL is not NULL. */
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
  // Judged, and then ended with an error: of a model, or of the handler.
  failed: count('f'),
  // What each gate measured of the answers that it judged; an answer that it could not measure counts as 0.
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
  // By twentieth of confidence, 0 to 19.
  confidenceBins: bins('b'),
  // Bin k is over 1.1^(k-1) up to 1.1^k milliseconds: a percentile read from it is within 5 % of the true one.
  latencyBins: bins('l'),
} as const satisfies Figures

const ESTIMATED = `coalesce(event.saved ->> 'estimated', 0)`
/** What a saving has, where its tokens were measured, or were estimated; else 0. */
const measured = (value: string) => `iif(${ESTIMATED}, 0, ${value})`
const estimated = (value: string) => `iif(${ESTIMATED}, ${value}, 0)`

/** Each figure of a row of `decisions`, which is called `event`: for the SQL that counts, and in no bundle. */
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

/** Decisions for which a gate measured the answer, and the mean of what it measured. */
export interface NamedMean {
  readonly counted: number
  readonly mean: number
}

/** The figures that the totals of decisions show. A mean is called `meanX`, and `null` where nothing was counted. */
export type Shown<Of extends Figures> = { readonly [Name in FigureName<Of, 'count'>]: number } & {
  readonly [Name in FigureName<Of, 'mean'> as `mean${Capitalize<Name>}`]: number | null
} & { readonly [Name in FigureName<Of, 'means'>]: Readonly<Record<string, NamedMean>> }

/** Under which name totals show a figure; `undefined` where they do not. */
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

/** Sums of one combination of everything in `CELL`, by the names of figures: `x:count` and `x:sum` of a mean, `x:7` of a bin. */
export type Counts = Readonly<Record<string, number>>

/**
 * The same as the rollups hold them: under the short names, and of a mean only of how many decisions it is not, under a name
 * that begins with a hyphen, as most have all of them.
 */
export type StoredCounts = Readonly<Record<string, number>>

/**
 * What is in common to the decisions of one entry of `counts`, in the order of its key, a JSON array. Names are only ever
 * added at the end, with a migration of what was counted before.
 */
export const CELL = ['verdict', 'band', 'cache', 'mode', 'reason', 'outcome', 'collection', 'policyId'] as const

/** The same of a row of `decisions`, as `FIGURE_SQL` is. */
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

/** Parts that the collections of a tenant are counted in. */
export const PARTS = 2

/** Places that the decisions of a millisecond have. */
export const PLACES_OF_A_MS = 2048

/** Decisions that are counted once so many wait, at the latest after some hours: sums, and weak spots, in slices of as many. */
export const WORTH_COUNTING = { sums: 50, weak_spots: 20_000 } as const
