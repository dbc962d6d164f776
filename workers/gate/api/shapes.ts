/** Schemas of requests and responses; those used more than once are named in the document. */
import { type Figure, FIGURES, type Figures, shownAs } from 'hono-rag-gate/d1/figures'
import { snakeCase } from '@hono-rag-gate/console/http'
import {
  anything,
  byName,
  count,
  flag,
  list,
  moment,
  named,
  number,
  object,
  oneOf,
  orNull,
  type Schema,
  share,
  text,
} from './schema.ts'

export const VERDICT = oneOf('pass', 'advise', 'refuse')
export const BAND = oneOf('high', 'medium', 'low', 'very-low')
export const CACHE = oneOf('hit', 'evidence-hit', 'miss', 'bypass', 'stale')
export const MODE = oneOf('enforce', 'observe')
const RATING = oneOf('right', 'wrong')

/** An object with the `version` that all statistics responses have. */
const versioned = (members: Readonly<Record<string, Schema>>): Schema => object({ version: { const: 1 }, ...members })

const byVerdict = object({ pass: count, advise: count, refuse: count })
const savedTokens = object({ calls: count, input_tokens: count, output_tokens: count })
const savings = object({
  calls_avoided_by_refusal: count,
  calls_avoided_by_cache: count,
  share_avoided: orNull(share),
  measured: savedTokens,
  estimated: savedTokens,
  unknown_calls: count,
  money: orNull(object({ calls: count, model_cost: number, retrieval_cost: number, net: number })),
  generation_ms_saved: orNull(number),
})
/** Schemas of the figures in wire form. */
export function figureShapes(figures: Figures): Readonly<Record<string, Schema>> {
  const shown = Object.entries(figures).flatMap(([name, figure]) => {
    const as = shownAs(name, figure)
    return as === undefined ? [] : [[snakeCase(as), shapeOf(figure)] as const]
  })
  return Object.fromEntries(shown)
}

function shapeOf(figure: Figure): Schema {
  if (figure.kind === 'mean') return orNull(figure.unit === 'share' ? share : number)
  return figure.kind === 'means' ? byName(object({ counted: count, mean: number })) : count
}

const totals = {
  ...figureShapes(FIGURES),
  by_verdict: byVerdict,
  by_cache: object({ hit: count, 'evidence-hit': count, miss: count, bypass: count, stale: count }),
  savings,
}
const latency = object({
  counted: count,
  p50: orNull(number),
  p90: orNull(number),
  p95: orNull(number),
  p99: orNull(number),
})
const rate = object({ rate: orNull(share), low: share, high: share })
const labelled = object({ decisions: count, right: count, wrong: count })
const finding = object({
  gate: text,
  stage: oneOf('pre-generation', 'post-generation'),
  outcome: oneOf('pass', 'advise', 'refuse', 'skip'),
  code: text,
  message: text,
  'actual?': orNull(number),
  'threshold?': orNull(number),
  'subject?': text,
  'publicText?': text,
})
const pin = object({
  collection: text,
  embedding_model: text,
  dimension: count,
  lexicon_id: orNull(text),
  'reader?': orNull(text),
  corpus_version: count,
})
const saving = object({
  by: oneOf('refusal', 'cache'),
  'input_tokens?': number,
  'output_tokens?': number,
  'estimated?': { const: true },
  'model_cost?': number,
  'retrieval_cost?': number,
})
const listedDecision = {
  id: text,
  decision_id: text,
  at: moment,
  collection: text,
  policy_id: text,
  mode: MODE,
  verdict: VERDICT,
  band: BAND,
  confidence: orNull(share),
  reason: text,
  cache: CACHE,
  status: count,
  total_ms: orNull(number),
  model: orNull(text),
  escalate: flag,
  document_ids: list(text),
  question_hmac: orNull(text),
  question_text: orNull(text),
  principal_id: text,
  saved: orNull(saving),
}
const choice = { at: moment, by: text, collection: orNull(text), policy: orNull(text), why: text }
const key = {
  id: text,
  tenant: text,
  name: text,
  scopes: list(oneOf('ask', 'ingest', 'admin')),
  created_at: moment,
  expires_at: orNull(moment),
  revoked_at: orNull(moment),
}

/** An object that may have further members. */
const open = (members: Readonly<Record<string, Schema>>): Schema => ({
  ...object(members),
  additionalProperties: true,
})

/** Named schemas of the document. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Error: object({
    error: object({ code: text, message: text, request_id: text, 'param?': orNull(text), 'type?': text }),
  }),
  Totals: object(totals),
  TotalsOf: object({ name: text, ...totals }),
  TotalsAt: object({ start: moment, ...totals }),
  Decision: object(listedDecision),
  PushedPolicy: object({
    id: text,
    name: text,
    version: count,
    settings: byName(anything),
    pin: orNull(pin),
    evidence: anything,
    created_at: moment,
    created_by: text,
    why: text,
  }),
  Key: object(key),
}

/** Body of `POST /ask`. */
export const QUESTION: Schema = object({
  question: { type: 'string', minLength: 1, maxLength: 2000 },
  'collection?': text,
  'stream?': flag,
  'tenant?': text,
})

/** Request and response of `POST /mcp`. */
export const JSON_RPC: Schema = open({
  jsonrpc: { const: '2.0' },
  'id?': { type: ['string', 'integer'] },
  'method?': text,
  'params?': byName(anything),
})
export const JSON_RPC_ANSWER: Schema = object({
  jsonrpc: { const: '2.0' },
  id: { type: ['string', 'integer', 'null'] },
  'result?': byName(anything),
  'error?': object({ code: { type: 'integer' }, message: text }),
})

const query = { type: 'string', minLength: 1, maxLength: 2000 }
/** Operators see all members; the public only those in words. */
const retrievalConfidence = {
  'overall_confidence?': share,
  'top_score?': number,
  'score_gap?': number,
  'score_spread?': number,
  'consensus_count?': count,
  'bm25_dense_agreement?': share,
  'reranker_impact?': number,
  'graph_support?': flag,
  'document_diversity?': share,
  interpretation: text,
  should_flag_for_review: flag,
  'details?': byName(anything),
}
/** A policy may add members. */
const aboutTools = {
  decision_id: text,
  verdict: VERDICT,
  band: BAND,
  reason_code: text,
  refused: flag,
  'refusal_reason?': text,
  'suggestions?': list(text),
}

/** Request and response of `POST /v1/tools/search`. */
export const TO_SEARCH: Schema = object({
  query,
  'k?': { type: 'integer', minimum: 1, maximum: 20 },
  'collection?': text,
  'tenant?': text,
})
export const SEARCHED: Schema = object({
  success: { const: true },
  data: list(
    object({
      chunk_id: text,
      document_id: text,
      'title?': text,
      'section?': text,
      'source?': text,
      text,
    }),
  ),
  citations: list(text),
  metadata: open({ rag_confidence: object(retrievalConfidence), ...aboutTools }),
})

/** Request and response of `POST /v1/tools/assess_retrieval_confidence`. */
export const TO_ASSESS: Schema = object({
  query,
  chunk_ids: { type: 'array', items: text, minItems: 1, maxItems: 100 },
  'collection?': text,
  'tenant?': text,
})
export const ASSESSED: Schema = object({
  success: { const: true },
  data: object({ ...retrievalConfidence, recommendations: list(text) }),
  metadata: open({ recommendations: list(text), ...aboutTools }),
})

/** Body of `POST /v1/judgements`. */
export const TO_JUDGE: Schema = object({
  question: { type: 'string', minLength: 1, maxLength: 2000 },
  'collection?': text,
  'without?': { type: 'array', items: text, maxItems: 200 },
})

/** Response of `POST /v1/judgements`. A policy may add members. */
export const JUDGEMENT: Schema = open({
  'escalate?': flag,
  decision_id: text,
  verdict: VERDICT,
  band: BAND,
  reason_code: text,
  'calibration?': oneOf('uncalibrated', 'scaled', 'calibrated'),
  detail: byName(anything),
})

/** Members of answers and refusals besides the text. A policy may add members. */
const ABOUT: Schema = open({
  'answered_by?': oneOf('model', 'search'),
  'sources?': list(
    object({
      number: count,
      id: text,
      document_id: text,
      'title?': text,
      'section?': text,
      'source?': text,
    }),
  ),
  'passages?': list(object({ id: text, document_id: text, 'title?': text, 'section?': text, 'source?': text, text })),
  refused: flag,
  'complete?': { const: false },
  'caution?': text,
  'refusal_reason?': text,
  'suggestions?': list(text),
  'escalate?': flag,
  decision_id: text,
  verdict: VERDICT,
  band: BAND,
  reason_code: text,
  'calibration?': oneOf('uncalibrated', 'scaled', 'calibrated'),
  'detail?': byName(anything),
  'cost?': text,
})

const usage = object({ prompt_tokens: count, completion_tokens: count, total_tokens: count })

/** Response of `POST /ask`: an answer or a refusal. */
export const ANSWER: Schema = { ...ABOUT, properties: { ...(ABOUT['properties'] as Schema), answer: text, usage } }

/** Body of `POST /v1/chat/completions`. */
export const COMPLETION_REQUEST: Schema = object({
  model: text,
  messages: list(open({ role: oneOf('system', 'developer', 'user', 'assistant', 'tool', 'function') })),
  'stream?': orNull(flag),
  'stream_options?': orNull(open({})),
  'temperature?': orNull({ type: 'number', minimum: 0, maximum: 2 }),
  'top_p?': orNull(share),
  'max_tokens?': orNull(count),
  'max_completion_tokens?': orNull(count),
  'stop?': orNull({ anyOf: [text, { type: 'array', items: text, maxItems: 4 }] }),
  'seed?': orNull({ type: 'integer' }),
  'n?': orNull({ const: 1 }),
  'frequency_penalty?': orNull({ const: 0 }),
  'presence_penalty?': orNull({ const: 0 }),
  'logprobs?': orNull({ const: false }),
  'store?': orNull({ const: false }),
  'parallel_tool_calls?': orNull(flag),
  'response_format?': orNull(object({ type: { const: 'text' } })),
  'tools?': orNull({ type: 'array', maxItems: 0 }),
  'user?': orNull(text),
  'metadata?': orNull(open({})),
  'safety_identifier?': orNull(text),
  'prompt_cache_key?': orNull(text),
  'rag_gate?': orNull(object({ 'collection?': text, 'refuse_as?': oneOf('content', 'refusal', 'error') })),
})

const TOLD: Schema = { ...ABOUT, description: 'What /ask answers beside its text' }

/** Its response: an answer or a refusal. */
export const COMPLETION: Schema = object({
  id: text,
  object: { const: 'chat.completion' },
  created: count,
  model: text,
  choices: list(
    object({
      index: { const: 0 },
      message: object({ role: { const: 'assistant' }, content: orNull(text), refusal: orNull(text) }),
      logprobs: { type: 'null' },
      finish_reason: oneOf('stop', 'length'),
    }),
  ),
  'usage?': usage,
  rag_gate: TOLD,
})

/** A refusal if `refuse_as` is `error`. */
export const REFUSED_COMPLETION: Schema = object({
  error: object({ code: text, message: text, request_id: text, 'param?': orNull(text), 'type?': text }),
  'rag_gate?': TOLD,
})

/** Response of `GET /v1/models`. */
export const MODEL: Schema = object({ id: text, object: { const: 'model' }, created: count, owned_by: text })

export const MODELS: Schema = object({ object: { const: 'list' }, data: list(MODEL) })

export const DOCUMENTS: Schema = object({
  'collection?': text,
  documents: list(
    object({
      id: text,
      text,
      'format?': oneOf('markdown', 'text', 'html'),
      'title?': text,
      'source?': text,
      'version?': text,
      'metadata?': byName(anything),
    }),
  ),
  'tenant?': text,
})

export const INGESTED: Schema = object({
  collection: text,
  corpus_version: count,
  documents: list(
    object({
      id: text,
      status: oneOf('added', 'changed', 'unchanged', 'empty', 'failed'),
      'chunks?': count,
      'chunks_written?': count,
      'chunks_removed?': count,
      'flags?': list(text),
      'code?': text,
    }),
  ),
  chunks_to_remove: count,
  'nearly_full?': object({ used_bytes: count, limit_bytes: count }),
})

export const REMOVED: Schema = object({
  collection: text,
  corpus_version: count,
  ids: list(text),
  chunks_removed: count,
  chunks_to_remove: count,
})

export const DOCUMENT_PAGE: Schema = object({
  collection: text,
  corpus_version: count,
  origin: orNull(text),
  documents: list(object({ id: text, content_hash: text, chunks: count })),
  next_cursor: orNull(text),
})

export const COLLECTIONS: Schema = object({
  collections: list(
    object({
      id: text,
      corpus_version: count,
      lexicon_id: orNull(text),
      embedding_model: text,
      dimension: count,
      reader: orNull(text),
      policy: orNull(text),
      chunks_to_remove: count,
    }),
  ),
})

/** Body for choosing a policy. */
export const CHOICE: Schema = object({
  'policy?': orNull(text),
  'rollback?': { type: 'boolean' },
  'why?': { type: 'string', maxLength: 1000 },
  'tenant?': text,
})
export const CHOSEN_FOR_COLLECTION: Schema = object({ collection: text, policy: orNull(text) })
export const CHOSEN_FOR_TENANT: Schema = object({ tenant: text, policy: orNull(text) })

export const PUSHED: Schema = object({
  settings: byName(anything),
  'pin?': orNull(pin),
  'evidence?': anything,
  'why?': { type: 'string', maxLength: 1000 },
  'tenant?': text,
})
export const PUSHED_POLICIES: Schema = object({
  named: list(text),
  policies: list(named('PushedPolicy')),
  choices: list(object(choice)),
})

export const NEW_KEY: Schema = object({
  name: text,
  scopes: list(oneOf('ask', 'ingest', 'admin')),
  'tenant?': text,
  'expires_at?': orNull(moment),
})
export const MADE_KEY: Schema = object({ ...key, token: text })
export const KEYS: Schema = object({ keys: list(named('Key')) })

export const PURGE: Schema = object({
  'everything?': { const: true },
  'tenant?': text,
  'collection?': text,
  'documents?': list(text),
  'questions?': list(text),
  'answers?': list(text),
})
export const PURGED: Schema = object({ purged: count, epoch: count, elsewhere_within_seconds: count })

export const STATS: Schema = versioned({
  from: moment,
  to: moment,
  interval: oneOf('hour', 'day'),
  complete: flag,
  ...totals,
  by_band: object({ high: count, medium: count, low: count, 'very-low': count }),
  by_reason: byName(count),
  by_mode: object({ enforce: count, observe: count }),
  by_policy: list(named('TotalsOf')),
  by_collection: list(named('TotalsOf')),
  by_tenant: list(named('TotalsOf')),
  confidence_histogram: { type: 'array', items: byVerdict, minItems: 20, maxItems: 20 },
  latency: object({ all: latency, cached: latency, uncached: latency }),
  series: list(named('TotalsAt')),
  currency: orNull(text),
  prices: orNull(
    object({ input_per_million_tokens: number, output_per_million_tokens: number, per_retrieval: number }),
  ),
  'recording?': object({ isolates: count, recorded: count, dropped: count, rejected: count, missing: count }),
  'faults?': list(object({ route: text, status: count, code: text, requests: count })),
})

export const CONTENT_GAPS: Schema = versioned({
  content_gaps: list(
    object({
      question_hmac: text,
      hmac_key_id: text,
      collection: text,
      refused: count,
      advised: count,
      last: moment,
      last_reason: text,
      text: orNull(text),
    }),
  ),
})

export const DOCUMENT_TRENDS: Schema = versioned({
  documents: list(
    object({
      document_id: text,
      collection: text,
      decisions: count,
      refused: count,
      advised: count,
      mean_confidence: share,
      change: orNull(number),
      consistently_weak: flag,
      weeks: list(object({ week: moment, decisions: count, mean_confidence: share })),
    }),
  ),
})

export const DECISIONS: Schema = versioned({ decisions: list(named('Decision')), next_cursor: orNull(text) })

export const DECISION: Schema = versioned({
  ...listedDecision,
  tenant: text,
  corpus_version: count,
  route: text,
  ranked_by: text,
  findings: list(finding),
  signals: byName(anything),
  answer_signals: orNull(byName(anything)),
  evidence_ids: list(text),
  retrieval_ms: orNull(number),
  rerank_ms: orNull(number),
  generation_ms: orNull(number),
  hmac_key_id: orNull(text),
  input_tokens: orNull(count),
  output_tokens: orNull(count),
  isolate: text,
  sequence: count,
  reranker: orNull(text),
  cut: orNull(list(text)),
  policy: orNull(byName(anything)),
  calibration: orNull(object({ pin, documents_changed: flag, advice: orNull(text) })),
  question_text: orNull(text),
  rejection: orNull(byName(anything)),
  labels: list(object({ source: oneOf('user', 'reviewer'), rating: RATING, comment: orNull(text), at: moment })),
  audit_events: list(object({ at: moment, type: text, payload: anything })),
  told: byName(anything),
})

export const POLICIES: Schema = versioned({
  choices: list(object({ name: text, id: text })),
  policies: list(object({ id: text, name: text, first_seen: moment, policy: byName(anything) })),
  changes: list(object({ ...choice, policy_id: text })),
})

const JOBS = list(object({ name: text, ran_at: moment, failed: flag, behind_seconds: count }))

export const ALERTS: Schema = versioned({
  alerts: list(
    object({
      id: text,
      tenant: text,
      kind: text,
      opened: moment,
      closed: orNull(moment),
      value: number,
      bound: number,
      decisions: count,
      message: text,
    }),
  ),
  jobs: JOBS,
})

export const AUDIT: Schema = versioned({
  events: list(
    object({ id: text, at: moment, type: text, decision_id: orNull(text), by: orNull(text), payload: anything }),
  ),
})

export const REPLAY: Schema = object({ policy: text })
export const REPLAYED: Schema = versioned({
  policy: text,
  policy_id: text,
  decisions: count,
  judged: count,
  not_replayable: object({ count, reasons: byName(count) }),
  before: byVerdict,
  after: byVerdict,
  would_refuse: rate,
  calls_avoided: { type: 'integer' },
  unread: object({
    where_reader_failed: { enum: ['refused', 'judged_by_words', 'not_weighed'] },
    failed: count,
    spared: count,
    off: count,
  }),
  changed: object({
    count,
    decisions: list(object({ id: text, from: VERDICT, to: VERDICT, confidence: share })),
  }),
})

const COMMENT: Schema = { type: 'string', description: 'At most 10,240 bytes' }
export const FEEDBACK: Schema = object({ answer: text, rating: RATING, 'comment?': orNull(COMMENT) })
export const LABEL: Schema = object({ rating: RATING, 'comment?': orNull(COMMENT) })
export const RECORDED: Schema = versioned({ recorded: { const: true } })
export const LABELLED: Schema = versioned({ id: text, rating: RATING, 'comment?': text })
export const FEEDBACK_SUMMARY: Schema = versioned({
  policies: list(
    object({
      policy_id: text,
      refusals: labelled,
      answers: labelled,
      false_refusals: rate,
      false_acceptances: rate,
      suggestion: orNull(
        object({
          action: text,
          because: text,
          'gate?': text,
          'from?': number,
          'to?': number,
          'policy_id?': text,
        }),
      ),
    }),
  ),
  labels: list(
    object({
      event_id: text,
      source: oneOf('user', 'reviewer'),
      rating: RATING,
      comment: orNull(text),
      at: moment,
      verdict: orNull(VERDICT),
      policy_id: orNull(text),
      collection: orNull(text),
    }),
  ),
})

export const LABELS: Schema = versioned({
  labels: list(object({ question: text, answerable: flag, kind: text, collection: text })),
  without_text: count,
})

export const ERASED: Schema = versioned({
  subject: text,
  finished: flag,
  erased: object({
    decisions: count,
    question_texts: count,
    feedback: count,
    audit_events: count,
    pushed_policies: count,
  }),
})

export const HEALTH: Schema = object({
  status: { const: 'ok' },
  jobs: JOBS,
})
