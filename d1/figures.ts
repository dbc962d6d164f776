/**
 * What is counted of decisions: one line a figure. The trigger that counts (`counting.ts`, written to `migrations` by
 * `scripts/migrations.ts`), the types of the statistics, their JSON, CSV and description follow from this table.
 */

/**
 * Part of the answers of the API, or input of the savings. `as` is its name in the rollups, one or two letters that no other
 * figure has; `sql` reads a row of `decisions` as `event`.
 */
export type Figure = { readonly as: string; readonly sql: string } & (
  | {
      readonly kind:
        /** A sum. What `sql` gives is added; NULL adds nothing. */
        | 'count'
        /** A sum that the savings are made of. */
        | 'saving'
        /** Means by name: `sql` selects `name` and `value`, each name once. */
        | 'means'
        /** Decisions by the whole number that `sql` gives; NULL is in no bin. */
        | 'bins'
    }
  /** A mean, of the decisions for which `sql` is not NULL. */
  | { readonly kind: 'mean'; readonly unit: 'share' | 'ms' }
)

/** Figures by name. */
export type Figures = Readonly<Record<string, Figure>>

const count = (as: string, sql: string) => ({ kind: 'count', as, sql }) as const
const mean = (as: string, sql: string, unit: 'share' | 'ms') => ({ kind: 'mean', as, sql, unit }) as const
const means = (as: string, sql: string) => ({ kind: 'means', as, sql }) as const
const saving = (as: string, sql: string) => ({ kind: 'saving', as, sql }) as const
const bins = (as: string, sql: string) => ({ kind: 'bins', as, sql }) as const

const ESTIMATED = `coalesce(event.saved ->> 'estimated', 0)`
/** What a saving has, where its tokens were measured, or were estimated; else 0. */
const measured = (value: string) => `iif(${ESTIMATED}, 0, ${value})`
const estimated = (value: string) => `iif(${ESTIMATED}, ${value}, 0)`

/** The figures. */
export const FIGURES = {
  decisions: count('n', `1`),
  confidence: mean('c', `event.confidence`, 'share'),
  totalMs: mean('t', `event.total_ms`, 'ms'),
  retrievalMs: mean('r', `event.retrieval_ms`, 'ms'),
  generationMs: mean('g', `event.generation_ms`, 'ms'),
  modelCalls: count('m', `event.model IS NOT NULL`),
  inputTokens: count('i', `event.input_tokens`),
  outputTokens: count('o', `event.output_tokens`),
  escalated: count('e', `event.escalate`),
  // Judged, and then ended with an error: of a model, or of the handler.
  failed: count('f', `event.status >= 500`),
  // What each gate measured of the answers that it judged; an answer that it could not measure counts as 0.
  answerGates: means(
    'a',
    `
    SELECT finding.value ->> 'gate' AS name, max(coalesce(finding.value ->> 'actual', 0.0)) AS value
    FROM json_each(iif(event.answer_signals IS NULL, '[]', event.findings)) AS finding
    WHERE finding.value ->> 'stage' = 'post-generation' GROUP BY name`,
  ),
  savedByRefusal: saving('sr', `event.saved ->> 'by' = 'refusal'`),
  savedByCache: saving('sc', `event.saved ->> 'by' = 'cache'`),
  savedMeasured: saving('sm', measured(`event.saved ->> 'inputTokens' IS NOT NULL`)),
  savedMeasuredInput: saving('mi', measured(`event.saved ->> 'inputTokens'`)),
  savedMeasuredOutput: saving('mo', measured(`event.saved ->> 'outputTokens'`)),
  savedEstimated: saving('se', ESTIMATED),
  savedEstimatedInput: saving('ei', estimated(`event.saved ->> 'inputTokens'`)),
  savedEstimatedOutput: saving('eo', estimated(`event.saved ->> 'outputTokens'`)),
  savedPriced: saving('sp', `event.saved ->> 'modelCost' IS NOT NULL`),
  savedModelCost: saving('pm', `event.saved ->> 'modelCost'`),
  savedRetrievalCost: saving('pr', `event.saved ->> 'retrievalCost'`),
  // By twentieth of confidence, 0 to 19.
  confidenceBins: bins('b', `max(0, min(19, CAST(event.confidence * 20 + 1e-9 AS INTEGER)))`),
  // Bin k is over 1.1^(k-1) up to 1.1^k milliseconds: a percentile read from it is within 5 % of the true one.
  latencyBins: bins('l', `min(130, CAST(ceil(ln(max(event.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER))`),
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
export const PARTS = 2

/** Places that the decisions of a millisecond have. */
export const PLACES_OF_A_MS = 2048

/** Decisions that are counted once so many wait, at the latest after some hours: sums, and weak spots, in slices of as many. */
export const WORTH_COUNTING = { sums: 50, weak_spots: 20_000 } as const
