/**
 * What is counted of decisions: one line a figure. The trigger that counts (`counting.ts`, written to `migrations` by
 * `scripts/migrations.ts`), the types of the statistics, their JSON, CSV and description follow from this table.
 */

/** Part of the answers of the API, or input of the savings. `sql` reads a row of `decisions` as `event`. */
export type Figure =
  /** A sum. What `sql` gives is added; NULL adds nothing. */
  | { readonly kind: 'count'; readonly sql: string }
  /** A mean, of the decisions for which `sql` is not NULL. */
  | { readonly kind: 'mean'; readonly sql: string; readonly unit: 'share' | 'ms' }
  /** Means by name: `sql` selects `name` and `value`, each name once. */
  | { readonly kind: 'means'; readonly sql: string }
  /** A sum that the savings are made of. */
  | { readonly kind: 'saving'; readonly sql: string }
  /** Decisions by the whole number that `sql` gives; NULL is in no bin. */
  | { readonly kind: 'bins'; readonly sql: string }

/** Figures by name. */
export type Figures = Readonly<Record<string, Figure>>

const count = (sql: string) => ({ kind: 'count', sql }) as const
const mean = (sql: string, unit: 'share' | 'ms') => ({ kind: 'mean', sql, unit }) as const
const means = (sql: string) => ({ kind: 'means', sql }) as const
const saving = (sql: string) => ({ kind: 'saving', sql }) as const
const bins = (sql: string) => ({ kind: 'bins', sql }) as const

const ESTIMATED = `coalesce(event.saved ->> 'estimated', 0)`
/** What a saving has, where its tokens were measured, or were estimated; else 0. */
const measured = (value: string) => `iif(${ESTIMATED}, 0, ${value})`
const estimated = (value: string) => `iif(${ESTIMATED}, ${value}, 0)`

/** The figures. */
export const FIGURES = {
  decisions: count(`1`),
  confidence: mean(`event.confidence`, 'share'),
  totalMs: mean(`event.total_ms`, 'ms'),
  retrievalMs: mean(`event.retrieval_ms`, 'ms'),
  generationMs: mean(`event.generation_ms`, 'ms'),
  modelCalls: count(`event.model IS NOT NULL`),
  inputTokens: count(`event.input_tokens`),
  outputTokens: count(`event.output_tokens`),
  escalated: count(`event.escalate`),
  // Judged, and then ended with an error: of a model, or of the handler.
  failed: count(`event.status >= 500`),
  // What each gate measured of the answers that it judged; an answer that it could not measure counts as 0.
  answerGates: means(`
    SELECT finding.value ->> 'gate' AS name, max(coalesce(finding.value ->> 'actual', 0.0)) AS value
    FROM json_each(iif(event.answer_signals IS NULL, '[]', event.findings)) AS finding
    WHERE finding.value ->> 'stage' = 'post-generation' GROUP BY name`),
  savedByRefusal: saving(`event.saved ->> 'by' = 'refusal'`),
  savedByCache: saving(`event.saved ->> 'by' = 'cache'`),
  savedMeasured: saving(measured(`event.saved ->> 'inputTokens' IS NOT NULL`)),
  savedMeasuredInput: saving(measured(`event.saved ->> 'inputTokens'`)),
  savedMeasuredOutput: saving(measured(`event.saved ->> 'outputTokens'`)),
  savedEstimated: saving(ESTIMATED),
  savedEstimatedInput: saving(estimated(`event.saved ->> 'inputTokens'`)),
  savedEstimatedOutput: saving(estimated(`event.saved ->> 'outputTokens'`)),
  savedPriced: saving(`event.saved ->> 'modelCost' IS NOT NULL`),
  savedModelCost: saving(`event.saved ->> 'modelCost'`),
  savedRetrievalCost: saving(`event.saved ->> 'retrievalCost'`),
  // By twentieth of confidence, 0 to 19.
  confidenceBins: bins(`max(0, min(19, CAST(event.confidence * 20 + 1e-9 AS INTEGER)))`),
  // Bin k is over 1.1^(k-1) up to 1.1^k milliseconds: a percentile read from it is within 5 % of the true one.
  latencyBins: bins(`min(130, CAST(ceil(ln(max(event.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER))`),
} as const satisfies Figures

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

/** Sums of one combination of everything in `CELL`, under the names that `partsOf` gives. */
export type Counts = Readonly<Record<string, number>>

/**
 * What is in common to the decisions of one entry of `counts`, in the order of its key, a JSON array. Names are only ever
 * added at the end, with a migration of what was counted before.
 */
export const CELL = {
  verdict: `event.verdict`,
  band: `event.band`,
  cache: `event.cache`,
  mode: `event.mode`,
  reason: `event.reason`,
  outcome: `iif(event.status >= 500, 'failed', 'served')`,
  collection: `event.collection`,
  policyId: `event.policy_id`,
} as const

/** Parts that the collections of a tenant are counted in. */
export const PARTS = 4

/** Places that the decisions of a millisecond have. */
export const PLACES_OF_A_MS = 2048
