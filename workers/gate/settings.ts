/**
 * All text settings of the Worker with their validation: one table for the Worker, the local start and the docs. All
 * are checked before anything is composed.
 */
import { methods, type OptionKind } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import { httpUrl } from 'hono-rag-gate/http'
import { webhookSecret } from '@hono-rag-gate/console/options'
import { rootUrl } from '@hono-rag-gate/upstream/http'

/** A problem with a setting; the message never quotes its value. */
interface Problem {
  readonly name: Name
  readonly code: 'config_invalid' | 'secret_too_short'
  readonly message: string
}

/** Validation of a setting. */
interface Setting {
  /** What it must be; completes "must be …". */
  readonly words: string
  readonly takes: (value: string) => boolean
  /** Whether it is a secret; secrets must differ from each other. */
  readonly secret?: true
}

const MIN_SECRET_LENGTH = 32

const like = (words: string, pattern: RegExp): Setting => ({ words, takes: (value) => pattern.test(value) })
const oneOf = (...choices: readonly string[]): Setting => ({
  words: choices.join(' or '),
  takes: (value) => choices.includes(value),
})
const whole = (from: number, to: number): Setting => ({
  words: `a whole number from ${from} to ${to}`,
  takes: (value) => /^\d{1,12}$/.test(value) && Number(value) >= from && Number(value) <= to,
})
/** Gives several settings the same validation. */
const each = <Name extends string>(setting: Setting, ...names: readonly Name[]): Readonly<Record<Name, Setting>> =>
  // The object has exactly these names.
  Object.fromEntries(names.map((name) => [name, setting])) as Readonly<Record<Name, Setting>>

const text = like('1 to 4,096 characters, none a control character', /^\P{Cc}{1,4096}$/u)
const ofKind = ({ words, holds }: OptionKind): Setting => ({ words, takes: holds })
const url = ofKind(rootUrl)
const token = like('letters, digits and . _ ~ + / = -, 512 at the most', /^[\w.~+/=-]{32,512}$/)

const TOKENS_FIELD = oneOf('max_tokens', 'max_completion_tokens')

/** A fallback model in the settings. */
interface SetModel {
  readonly base_url?: string
  readonly api_key?: string
  readonly max_tokens_field?: 'max_tokens' | 'max_completion_tokens'
  readonly model: string
}

/** A model of Workers AI, which is called by the binding `AI` if no endpoint is given. */
const isOfWorkersAi = (model: unknown): boolean => typeof model === 'string' && /^@(?:cf|hf)\//.test(model)

/** The models in `LLM_FALLBACKS`; `undefined` if they are invalid. */
export function modelsIn(setting: string): readonly SetModel[] | undefined {
  const isModel = (value: unknown): boolean => {
    const {
      base_url: baseUrl,
      api_key: apiKey,
      max_tokens_field: field = 'max_tokens',
      model,
      ...others
    } = { ...(value as Partial<SetModel>) }
    const isKnown =
      typeof model === 'string' && text.takes(model) && TOKENS_FIELD.takes(field) && Object.keys(others).length === 0
    const isAlone = baseUrl === undefined && apiKey === undefined && isOfWorkersAi(model)
    return isKnown && (isAlone || (url.takes(baseUrl!) && typeof apiKey === 'string' && text.takes(apiKey)))
  }
  try {
    const list: unknown = JSON.parse(setting)
    // Every element was checked.
    return Array.isArray(list) && list.every(isModel) ? (list as SetModel[]) : undefined
  } catch {
    return undefined
  }
}

const SETTINGS = {
  ...each({ ...token, secret: true }, 'ADMIN_TOKEN', 'ADMIN_TOKEN_BEFORE'),
  ...each({ ...text, secret: true }, 'QUESTION_HMAC_KEY', 'FEEDBACK_KEY', 'FEEDBACK_KEY_BEFORE'),
  ALERT_WEBHOOK_SECRET: { ...ofKind(webhookSecret), secret: true } as Setting,
  ...each(text, 'QUESTION_HMAC_KEY_ID', 'DEPLOYMENT', 'EMBEDDING_MODEL', 'UPSTASH_VECTOR_REST_TOKEN'),
  ...each(text, 'LLM_API_KEY', 'LLM_MODEL', 'PRICE_CURRENCY'),
  ALERT_WEBHOOK_URL: ofKind(httpUrl),
  ...each(url, 'UPSTASH_VECTOR_REST_URL', 'LLM_BASE_URL'),
  LLM_FALLBACKS: {
    words: 'a JSON list of {"base_url", "api_key", "model"}, or of {"model"} of Workers AI',
    takes: (value) => modelsIn(value) !== undefined,
  } as Setting,
  ...each(oneOf('on', 'off'), 'ANONYMOUS_ASK'),
  ...each(oneOf('public', 'operator'), 'AUDIENCE'),
  ...each(oneOf('enforce', 'observe'), 'GATE_MODE'),
  ...each(oneOf('jsonl', 'csv'), 'EXPORT_FORMAT'),
  ...each(oneOf('off', 'json'), 'REQUEST_LOG'),
  ...each(oneOf('off', 'workers-ai', 'llm'), 'RERANKER'),
  LLM_MAX_TOKENS_FIELD: TOKENS_FIELD,
  ...each(
    whole(1, 999_999_999_999),
    ...(['TOKENS_PER_DAY', 'TOKENS_PER_MONTH', 'DOCUMENTS_PER_DAY', 'INGESTION_STEPS_PER_DAY'] as const),
  ),
  ...each(whole(1, 100_000), 'REQUESTS_PER_MINUTE', 'MODEL_CALLS_AT_ONCE'),
  // Days.
  ...each(whole(1, 3650), 'DECISION_RETENTION_DAYS', 'AUDIT_RETENTION_DAYS'),
  ...each(whole(1_000, 1e9), 'DECISIONS_AT_MOST'),
  ...each(whole(1, 365), 'STORE_QUESTIONS_DAYS'),
  // Seconds.
  ...each(whole(1, 600), 'LLM_TIMEOUT_SECONDS', 'STREAM_IDLE_SECONDS', 'STREAM_SECONDS'),
  ...each(whole(1, 60), 'RERANK_TIMEOUT_SECONDS'),
  ...each(whole(0, 30 * 86_400), 'STALE_IF_ERROR_SECONDS'),
  ...each(whole(0, 3600), 'DATABASE_OUTAGE_SECONDS'),
  ...each(
    like('a number from 0 to 1, such as 0.2', /^(?:[01]|0?\.\d{1,6}|1\.0{1,6})$/),
    ...(['RERANK_FROM', 'RERANK_BELOW'] as const),
    ...(['ALERT_REFUSED_AT_MOST', 'ALERT_REFUSED_AT_LEAST', 'ALERT_PASSED_AT_LEAST'] as const),
    ...(['ALERT_FAILED_AT_MOST'] as const),
  ),
  ...each(
    like('a number, such as 0.15', /^\d{1,10}(\.\d{1,17})?(e-\d)?$/),
    ...(['ALERT_DRIFT_AT_MOST', 'ALERT_LATENCY_AT_MOST_MS'] as const),
    ...(['AVERAGE_INPUT_TOKENS', 'AVERAGE_OUTPUT_TOKENS'] as const),
    ...(['PRICE_INPUT_PER_MILLION', 'PRICE_OUTPUT_PER_MILLION', 'PRICE_PER_RETRIEVAL'] as const),
  ),
}

/** Names of the text settings; the other bindings are objects of the platform. */
export type SettingName = keyof typeof SETTINGS

/** Unvalidated settings, from the platform or a file. */
type Given = { readonly [Name in SettingName]?: unknown }

/** Objects of the platform, besides the database. */
const BINDINGS = [
  ...(['AI', 'ANSWERS', 'ANSWER_FLIGHTS', 'ASSETS', 'DECISIONS_QUEUE', 'EXPORTS'] as const),
  ...(['REQUEST_LIMIT', 'TENANT_LIMIT', 'VECTORIZE'] as const),
] as const

type Bound = { readonly [Name in 'DB' | (typeof BINDINGS)[number]]?: unknown }

type Name = SettingName | keyof Bound

/** Settings that must be set together. */
const TOGETHER: readonly (readonly SettingName[])[] = [
  ['LLM_BASE_URL', 'LLM_API_KEY', 'LLM_MODEL'],
  ['UPSTASH_VECTOR_REST_URL', 'UPSTASH_VECTOR_REST_TOKEN'],
  ['PRICE_CURRENCY', 'PRICE_INPUT_PER_MILLION', 'PRICE_OUTPUT_PER_MILLION', 'PRICE_PER_RETRIEVAL'],
  ['AVERAGE_INPUT_TOKENS', 'AVERAGE_OUTPUT_TOKENS'],
]

/** Settings that require another; some only with a certain value. */
const NEEDED: readonly (readonly [name: Name, needed: Name, value?: string])[] = [
  ['STORE_QUESTIONS_DAYS', 'QUESTION_HMAC_KEY'],
  ['LLM_FALLBACKS', 'LLM_MODEL'],
  ['PRICE_CURRENCY', 'LLM_MODEL'],
  ['AVERAGE_INPUT_TOKENS', 'LLM_MODEL'],
  ['RERANKER', 'LLM_MODEL', 'llm'],
  ['RERANK_TIMEOUT_SECONDS', 'RERANKER'],
  ['RERANK_FROM', 'RERANKER'],
  ['RERANK_BELOW', 'RERANKER'],
]

/** The same for the platform's bindings, which scripts do not know. */
const BINDINGS_NEEDED: typeof NEEDED = [
  ['VECTORIZE', 'AI'],
  ['RERANKER', 'AI', 'workers-ai'],
]

// The keys are those of the table itself.
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

const invalid = (name: Name, message: string): Problem => ({ name, code: 'config_invalid', message })

/** Problems of settings in a table that lack the one they require. */
function alone(env: Given & Bound, table: typeof NEEDED): readonly Problem[] {
  return table.flatMap(([name, needed, value]) => {
    const isSet = value === undefined ? env[name] !== undefined : env[name] === value
    // A reranker that is off does not count.
    const isThere = env[needed] !== undefined && env[needed] !== 'off'
    return isSet && !isThere ? [invalid(name, `${value ? `${name}=${value}` : name} needs ${needed}`)] : []
  })
}

/** Confidences between which the reranker is called; `undefined` for all. A missing bound has a default. */
export function rerankBounds(env: Given): readonly [from: number, below: number] | undefined {
  const [from, below] = [numberIn(env, 'RERANK_FROM'), numberIn(env, 'RERANK_BELOW')]
  if (from === undefined && below === undefined) return undefined
  return [from ?? (below! > 0.1 ? 0.1 : 0), below ?? (from! < 0.95 ? 0.95 : 1)]
}

/** The problems with the settings; empty if all are valid. Unset ones are valid. */
export function settingProblems(env: Given): readonly Problem[] {
  const secrets = new Set<string>()
  const single = SETTING_NAMES.flatMap((name): Problem | readonly Problem[] => {
    const { words, takes, secret: isSecret } = SETTINGS[name]
    const given = env[name]
    if (given === undefined) return []
    // A variable of wrangler.toml may be a number.
    const value = typeof given === 'number' ? String(given) : given
    if (isSecret && typeof value === 'string' && value.length < MIN_SECRET_LENGTH) {
      return { name, code: 'secret_too_short', message: `${name} needs ${MIN_SECRET_LENGTH} characters or more` }
    }
    if (typeof value !== 'string' || !takes(value)) return invalid(name, `${name} must be ${words}`)
    // During a rotation, a previous secret may equal another one.
    if (!isSecret || /BEFORE/.test(name)) return []
    if (secrets.has(value)) return invalid(name, `${name} is equal to another secret`)
    secrets.add(value)
    return []
  })
  const joint = TOGETHER.flatMap((names) => {
    const missing = names.filter((name) => env[name] === undefined)
    const [first] = missing
    if (first === undefined || missing.length === names.length) return []
    if (names[2] === 'LLM_MODEL' && missing.length === 2 && isOfWorkersAi(env.LLM_MODEL)) return []
    return invalid(first, `${names.join(', ')} go together: ${missing.join(', ')} is missing`)
  })
  const [from, below] = rerankBounds(env) ?? [0, 1]
  const isCrossed = from >= below && !single.some(({ name }) => /RERANK_/.test(name))
  const crossed = isCrossed ? [invalid('RERANK_FROM', 'RERANK_FROM must be under RERANK_BELOW')] : []
  return [...single, ...joint, ...alone(env, NEEDED), ...crossed]
}

/** Settings that name a model of Workers AI, which is asked by the binding `AI`. */
function ofWorkersAi({ LLM_MODEL: model, LLM_BASE_URL: url, LLM_FALLBACKS: list }: Given): readonly Name[] {
  const others = typeof list === 'string' ? modelsIn(list) : undefined
  return [
    ...(isOfWorkersAi(model) && url === undefined ? (['LLM_MODEL'] as const) : []),
    ...(others?.some(({ base_url }) => base_url === undefined) ? (['LLM_FALLBACKS'] as const) : []),
  ]
}

const UNBOUND = invalid('DB', 'DB must be a D1 database: is it bound under that name?')

/**
 * Checks all settings, and that there is a database.
 *
 * @throws `secret_too_short` or `config_invalid` with all problems; `param` is the first invalid setting
 */
export function requireSettings(env: Given & Bound): void {
  const problems = [
    ...(methods('prepare').holds(env.DB) ? [] : [UNBOUND]),
    ...BINDINGS.filter((name) => env[name] !== undefined && Object(env[name]) !== env[name]).map((name) =>
      invalid(name, `${name} must be a binding, not a variable`),
    ),
    ...settingProblems(env),
    ...alone(env, [...BINDINGS_NEEDED, ...ofWorkersAi(env).map((name) => [name, 'AI'] as const)]),
  ]
  const [first] = problems
  if (first === undefined) return
  throw new RagGateError(first.code, problems.map(({ message }) => message).join('; '), { param: first.name })
}

/** The value of a numeric setting that was checked; `undefined` if unset. */
export function numberIn(env: Given, name: SettingName): number | undefined {
  return env[name] === undefined ? undefined : Number(env[name])
}
