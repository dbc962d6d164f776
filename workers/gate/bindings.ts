import type { AiEmbeddingBinding } from '@hono-rag-gate/models/workers-ai-embedder'
import type { AiTextBinding } from '@hono-rag-gate/models/workers-ai-endpoint'
import type { AiRerankingBinding } from '@hono-rag-gate/models/workers-ai-reranker'
import type { AnswerFlight } from '@hono-rag-gate/cloudflare/durable-object-coalescer'
import type { QueuedDecision } from '@hono-rag-gate/cloudflare'
import type { RateLimitBinding } from '@hono-rag-gate/console'
import type { VectorizeBinding } from '@hono-rag-gate/vectorize'

/** A queue message with tenants to check for alerts. */
export interface AskedTenants {
  readonly watch: readonly string[]
}

/** Bindings from wrangler.toml, and the deployment's secrets. */
export interface GateBindings {
  readonly DB: D1Database
  /** The page, the dashboard and texts in languages other than English. Without it there is only the API. */
  readonly ASSETS?: Fetcher
  /** Coalesces identical questions for one model call. Without it each is answered separately. */
  readonly ANSWER_FLIGHTS?: DurableObjectNamespace<AnswerFlight>
  /** A KV namespace for answers, behind the Cache API, so that answers are shared among data centres. */
  readonly ANSWERS?: KVNamespace
  /** Token for documents, statistics and the operator view, at least 32 characters. Without it they are closed. */
  readonly ADMIN_TOKEN?: string
  /** The previous token, accepted until it is removed. */
  readonly ADMIN_TOKEN_BEFORE?: string
  /** `off` rejects callers without a key. @default 'on' */
  readonly ANONYMOUS_ASK?: string
  /** Secret for the HMAC of questions, at least 32 characters. Without it questions are not recorded in any form. */
  readonly QUESTION_HMAC_KEY?: string
  /** Id of that secret, for key rotation. */
  readonly QUESTION_HMAC_KEY_ID?: string | number
  /** Queue for decisions, instead of a buffer in the isolate, and for alerts; this Worker must also consume it. */
  readonly DECISIONS_QUEUE?: Queue<QueuedDecision | AskedTenants>
  /** Secret for signing answer ids for feedback, at least 32 characters. @default `QUESTION_HMAC_KEY` */
  readonly FEEDBACK_KEY?: string
  /** The previous secret: feedback with its signatures is still accepted. */
  readonly FEEDBACK_KEY_BEFORE?: string
  /** URL to POST to when an alert opens or closes. */
  readonly ALERT_WEBHOOK_URL?: string
  /** Secret for signing webhook requests, at least 32 characters. Without it they are unsigned. */
  readonly ALERT_WEBHOOK_SECRET?: string
  /** `observe` judges and records questions and chats, but answers all of them. @default 'enforce' */
  readonly GATE_MODE?: string
  /** `json` logs a JSON line for each request. @default 'off' */
  readonly REQUEST_LOG?: string
  /** Share of refusals above which there is an alert, 0 to 1. @default '0.5' */
  readonly ALERT_REFUSED_AT_MOST?: string
  /** Share of refusals below which there is an alert, 0 to 1. @default '0', which is never reached */
  readonly ALERT_REFUSED_AT_LEAST?: string
  /** Share of passes below which there is an alert, 0 to 1. @default '0.8' */
  readonly ALERT_PASSED_AT_LEAST?: string
  /** Population stability index above which there is an alert. @default '0.25' */
  readonly ALERT_DRIFT_AT_MOST?: string
  /** Share of judged questions that end with an error above which there is an alert, 0 to 1. @default '0.05' */
  readonly ALERT_FAILED_AT_MOST?: string
  /** 95th percentile of the response time above which there is an alert, milliseconds. @default none */
  readonly ALERT_LATENCY_AT_MOST_MS?: string
  /** A bucket for the daily export of decisions. */
  readonly EXPORTS?: R2Bucket
  /** `jsonl` or `csv`. @default 'jsonl' */
  readonly EXPORT_FORMAT?: string
  /** Days for which single decisions are kept; counts are kept for ever. @default '90' */
  readonly DECISION_RETENTION_DAYS?: string
  /** Maximum number of single decisions; the oldest are removed. @default '4000000' */
  readonly DECISIONS_AT_MOST?: string
  /** Days for which the audit trail is kept. @default '730' */
  readonly AUDIT_RETENTION_DAYS?: string
  /** Days for which question texts are stored. Without it none are. */
  readonly STORE_QUESTIONS_DAYS?: string
  /** `operator` shows all numbers to everyone, for a local page or a private deployment. @default 'public' */
  readonly AUDIENCE?: string
  /** Name of the deployment in answer keys. Set it if several share a zone, and change it with a new database. */
  readonly DEPLOYMENT?: string
  /**
   * How long an expired answer may replace that of a failed retriever or model, seconds, up to 30 days.
   *
   * @default '3600'
   */
  readonly STALE_IF_ERROR_SECONDS?: string
  /** How old cached keys and collections may be while D1 does not respond, 0 to 3600 seconds. @default '600' */
  readonly DATABASE_OUTAGE_SECONDS?: string
  /** How long a streamed answer may stall before it is aborted, 1 to 600 seconds. @default '15' */
  readonly STREAM_IDLE_SECONDS?: string
  /** An index with the protocol of Upstash Vector, instead of the word index in D1. */
  readonly UPSTASH_VECTOR_REST_URL?: string
  readonly UPSTASH_VECTOR_REST_TOKEN?: string
  /** A Vectorize index with the metric cosine, instead of either; requires `AI`. */
  readonly VECTORIZE?: VectorizeBinding
  /** Workers AI, for `VECTORIZE`, `RERANKER`, and models with names that begin with `@cf/`. */
  readonly AI?: AiEmbeddingBinding & AiRerankingBinding & AiTextBinding
  /** Embedding model of Workers AI, of the Vectorize index's dimension. @default '@cf/baai/bge-base-en-v1.5' */
  readonly EMBEDDING_MODEL?: string
  /** Reranker: `off`, `workers-ai` or `llm`. @default 'off' */
  readonly RERANKER?: string
  /** Confidence from which the reranker is called, 0 to 1. @default '0.1' where `RERANK_BELOW` is set */
  readonly RERANK_FROM?: string
  /**
   * Confidence from which the reranker is skipped, 0 to 1.
   *
   * @default '0.95' where `RERANK_FROM` is set; without both it is always asked
   */
  readonly RERANK_BELOW?: string
  /** Deadline of the reranker, 1 to 60 seconds; a timeout counts as a failure. @default '3' */
  readonly RERANK_TIMEOUT_SECONDS?: string
  /** A rate-limit binding for requests by caller. Without it, `REQUESTS_PER_MINUTE` is counted in the isolate. */
  readonly REQUEST_LIMIT?: RateLimitBinding
  /** A rate-limit binding for the requests of each tenant, all its callers together. */
  readonly TENANT_LIMIT?: RateLimitBinding
  /** Requests per minute and caller, 1 to 100,000. @default unlimited */
  readonly REQUESTS_PER_MINUTE?: string
  /** Concurrent model calls per isolate, 1 to 100,000. @default '50' */
  readonly MODEL_CALLS_AT_ONCE?: string
  /** Maximum duration of a streamed answer, 1 to 600 seconds. @default '300' */
  readonly STREAM_SECONDS?: string
  /** Model tokens per tenant in a day, and in a month. @default unlimited */
  readonly TOKENS_PER_DAY?: string
  readonly TOKENS_PER_MONTH?: string
  /** Documents that a key may ingest in a day, and steps of work for reading them. @default unlimited */
  readonly DOCUMENTS_PER_DAY?: string
  readonly INGESTION_STEPS_PER_DAY?: string
  /** Prices, for the statistics of savings: all four together, and a model as well. */
  readonly PRICE_CURRENCY?: string
  /** Per million input tokens. */
  readonly PRICE_INPUT_PER_MILLION?: string
  /** Per million output tokens. */
  readonly PRICE_OUTPUT_PER_MILLION?: string
  /** Per retrieval, with its embedding and reranker. */
  readonly PRICE_PER_RETRIEVAL?: string
  /** Tokens of an average call, for calls without reported tokens: both together. Without them those are unknown. */
  readonly AVERAGE_INPUT_TOKENS?: string
  readonly AVERAGE_OUTPUT_TOKENS?: string
  /**
   * An OpenAI-compatible endpoint for the model, all three together; or `LLM_MODEL` alone, for a model of Workers AI.
   *
   * @default search results
   */
  readonly LLM_BASE_URL?: string
  readonly LLM_API_KEY?: string
  readonly LLM_MODEL?: string
  /** Fallback models in order: a JSON list of `base_url`, `api_key`, `model`. @default none */
  readonly LLM_FALLBACKS?: string
  /** Name of the request field for the maximum number of tokens. @default 'max_tokens' */
  readonly LLM_MAX_TOKENS_FIELD?: string
  /** Deadline of a whole answer, or of the first piece of a streamed one, 1 to 600 seconds. @default '20' */
  readonly LLM_TIMEOUT_SECONDS?: string
}
