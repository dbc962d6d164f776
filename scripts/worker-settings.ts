/** Settings of the ready Worker on this machine: those that are exported, and files of them. */
import { parseEnv } from 'node:util'

/** Every setting that is a text; `docs/reference/configuration.md` says what each of them means. */
export const SETTINGS: readonly string[] = [
  'ADMIN_TOKEN',
  'ANONYMOUS_ASK',
  'INDEX_TOKEN',
  'INDEX_READONLY_TOKEN',
  'VECTOR_INDEXES',
  'QUESTION_HMAC_KEY',
  'QUESTION_HMAC_KEY_ID',
  'FEEDBACK_KEY',
  'DECISION_RETENTION_DAYS',
  'EXPORT_FORMAT',
  'AUDIT_RETENTION_DAYS',
  'STORE_QUESTIONS_DAYS',
  'ALERT_WEBHOOK_URL',
  'ALERT_REFUSED_AT_MOST',
  'ALERT_REFUSED_AT_LEAST',
  'ALERT_PASSED_AT_LEAST',
  'ALERT_DRIFT_AT_MOST',
  'AUDIENCE',
  'DEPLOYMENT',
  'STALE_IF_ERROR_SECONDS',
  'STREAM_IDLE_SECONDS',
  'EMBEDDING_MODEL',
  'RERANKER',
  'RERANK_FROM',
  'RERANK_BELOW',
  'UPSTASH_VECTOR_REST_URL',
  'UPSTASH_VECTOR_REST_TOKEN',
  'LLM_BASE_URL',
  'LLM_API_KEY',
  'LLM_MODEL',
  'LLM_MAX_TOKENS_FIELD',
  'LLM_TIMEOUT_SECONDS',
  'PRICE_CURRENCY',
  'PRICE_INPUT_PER_MILLION',
  'PRICE_OUTPUT_PER_MILLION',
  'PRICE_PER_RETRIEVAL',
  'AVERAGE_INPUT_TOKENS',
  'AVERAGE_OUTPUT_TOKENS',
]

/** The settings that are exported. An empty one says nothing. */
export function exportedSettings(environment: Readonly<NodeJS.ProcessEnv> = process.env): Record<string, string> {
  const given = SETTINGS.map((name): [string, string] => [name, environment[name] ?? ''])
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** Reads a file of variables, such as `.dev.vars`. */
export function parseVars(text: string): Record<string, string> {
  // No member of what it gives is undefined, against its type.
  return parseEnv(text) as Record<string, string>
}

/**
 * A file of variables that wrangler reads as they are: within quotes that leave the value alone, and with nothing in it
 * that could name another variable.
 *
 * @throws when a value has quotes of every kind
 */
export function formatVars(vars: Readonly<Record<string, string>>): string {
  return Object.entries(vars)
    .map(([name, value]) => {
      // Within double quotes a backslash would mean something.
      const quotes = value.includes('\\') ? ["'", '`'] : ['"', "'", '`']
      const quote = quotes.find((each) => !value.includes(each))
      if (quote === undefined) throw new Error(`${name} has quotes of three kinds, which no file of variables can hold`)
      return `${name}=${quote}${value.replaceAll('$', String.raw`\$`)}${quote}\n`
    })
    .join('')
}
