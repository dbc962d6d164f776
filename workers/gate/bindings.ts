import type { AiEmbeddingBinding } from '@hono-rag-gate/models/workers-ai-embedder'
import type { AiTextBinding } from '@hono-rag-gate/models/workers-ai-endpoint'
import type { AiRerankingBinding } from '@hono-rag-gate/models/workers-ai-reranker'
import type { AnswerFlight } from '@hono-rag-gate/cloudflare/durable-object-coalescer'
import type { QueuedDecision } from '@hono-rag-gate/cloudflare'
import type { RateLimitBinding } from '@hono-rag-gate/console'
import type { VectorizeBinding } from '@hono-rag-gate/vectorize'

/** Tenants that are to be looked at for alerts. */
export interface AskedTenants {
  readonly watch: readonly string[]
}

/** What wrangler.toml and the deployment's secrets give the Worker. */
export interface GateBindings {
  readonly DB: D1Database
  /** The page, the dashboard and other languages than English. Without it there is the API alone. */
  readonly ASSETS?: Fetcher
  /** Where identical questions wait for one answer of a model. Without it each of them is answered. */
  readonly ANSWER_FLIGHTS?: DurableObjectNamespace<AnswerFlight>
  /** A KV namespace for answers, behind the Cache API: with it an answer is found in every data centre. */
  readonly ANSWERS?: KVNamespace
  /** Token for documents, statistics and the operator view, 32 characters and up. Without it they are closed. */
  readonly ADMIN_TOKEN?: string
  /** The token before it, which counts as well until it is taken away. */
  readonly ADMIN_TOKEN_BEFORE?: string
  /** `off` turns away callers without a key. @default 'on' */
  readonly ANONYMOUS_ASK?: string
  /** Secret for the HMAC of questions, 32 characters and up. Without it nothing of a question is recorded. */
  readonly QUESTION_HMAC_KEY?: string
  /** Names that secret, so that it can be changed. */
  readonly QUESTION_HMAC_KEY_ID?: string | number
  /** Queue that decisions are sent to instead of being held in the isolate, and many tenants' alerts; this Worker must consume it as well. */
  readonly DECISIONS_QUEUE?: Queue<QueuedDecision | AskedTenants>
  /** Secret that signs the ids of answers for feedback, 32 characters and up. @default `QUESTION_HMAC_KEY` */
  readonly FEEDBACK_KEY?: string
  /** The secret before it: feedback on answers that it signed is taken still. */
  readonly FEEDBACK_KEY_BEFORE?: string
  /** Told by POST when an alert opens or closes. */
  readonly ALERT_WEBHOOK_URL?: string
  /** Secret that signs what the webhook is told, 32 characters and up. Without it nothing is signed. */
  readonly ALERT_WEBHOOK_SECRET?: string
  /** `observe` judges and records questions and chats, and answers all of them. @default 'enforce' */
  readonly GATE_MODE?: string
  /** `json` writes a line of JSON for each request. @default 'off' */
  readonly REQUEST_LOG?: string
  /** Share of refusals beyond which there is an alert, 0 to 1. @default '0.5' */
  readonly ALERT_REFUSED_AT_MOST?: string
  /** Share of refusals below which there is an alert, 0 to 1. @default '0', which is never reached */
  readonly ALERT_REFUSED_AT_LEAST?: string
  /** Share let through below which there is an alert, 0 to 1. @default '0.8' */
  readonly ALERT_PASSED_AT_LEAST?: string
  /** Population stability index beyond which there is an alert. @default '0.25' */
  readonly ALERT_DRIFT_AT_MOST?: string
  /** Share of judged questions that end with an error beyond which there is an alert, 0 to 1. @default '0.05' */
  readonly ALERT_FAILED_AT_MOST?: string
  /** Milliseconds that 95 % of the answers take at most, beyond which there is an alert. @default none */
  readonly ALERT_LATENCY_AT_MOST_MS?: string
  /** A bucket that the decisions of each day are exported to. */
  readonly EXPORTS?: R2Bucket
  /** `jsonl` or `csv`. @default 'jsonl' */
  readonly EXPORT_FORMAT?: string
  /** Days for which single decisions are kept; counts stay. @default '90' */
  readonly DECISION_RETENTION_DAYS?: string
  /** Most single decisions that are kept: of more the oldest go. @default '4000000' */
  readonly DECISIONS_AT_MOST?: string
  /** Days for which the audit trail is kept. @default '730' */
  readonly AUDIT_RETENTION_DAYS?: string
  /** Keeps the texts of questions for so many days. Without it none is kept. */
  readonly STORE_QUESTIONS_DAYS?: string
  /** `operator` shows every figure to everyone: for a local page or a private deployment. @default 'public' */
  readonly AUDIENCE?: string
  /** Names the deployment in the answer key. Set it where several share a zone, and change it with a new database. */
  readonly DEPLOYMENT?: string
  /**
   * Seconds past its lifetime for which a stored answer stands in for a retriever or a model that fails, up to 30 days.
   *
   * @default '3600'
   */
  readonly STALE_IF_ERROR_SECONDS?: string
  /** Seconds for which the keys and collections that were last read stand in for D1 while it does not answer, 0 to 3600. @default '600' */
  readonly DATABASE_OUTAGE_SECONDS?: string
  /** Seconds for which a streamed answer may be silent, 1 to 600; then it is given up. @default '15' */
  readonly STREAM_IDLE_SECONDS?: string
  /** An index that speaks the protocol of Upstash Vector in place of the words in D1. */
  readonly UPSTASH_VECTOR_REST_URL?: string
  readonly UPSTASH_VECTOR_REST_TOKEN?: string
  /** A Vectorize index of the metric cosine instead of either; needs `AI`. */
  readonly VECTORIZE?: VectorizeBinding
  /** Workers AI, for `VECTORIZE`, `RERANKER`, and models whose name begins with `@cf/`. */
  readonly AI?: AiEmbeddingBinding & AiRerankingBinding & AiTextBinding
  /** Embedding model of Workers AI, whose dimension the Vectorize index must have. @default '@cf/baai/bge-base-en-v1.5' */
  readonly EMBEDDING_MODEL?: string
  /** What reads passages beside the question: `off`, `workers-ai` or `llm`. @default 'off' */
  readonly RERANKER?: string
  /** Confidence without the reranker from which it is asked, 0 to 1, under `RERANK_BELOW`. @default '0.1' where that is set */
  readonly RERANK_FROM?: string
  /** Confidence from which it is not asked any more, 0 to 1. @default '0.95' where `RERANK_FROM` is set; without both it is always asked */
  readonly RERANK_BELOW?: string
  /** How long it may take, 1 to 60 seconds. What it is late for is judged as where it fails. @default '3' */
  readonly RERANK_TIMEOUT_SECONDS?: string
  /** A rate-limit binding: requests of one caller that are let in. Without it `REQUESTS_PER_MINUTE` counts, in the isolate. */
  readonly REQUEST_LIMIT?: RateLimitBinding
  /** A rate-limit binding: requests of a tenant that are let in, of all its callers together. */
  readonly TENANT_LIMIT?: RateLimitBinding
  /** Requests that one caller may send in a minute, 1 to 100,000. @default without end */
  readonly REQUESTS_PER_MINUTE?: string
  /** Calls of the model at a time in an isolate, 1 to 100,000. @default '50' */
  readonly MODEL_CALLS_AT_ONCE?: string
  /** Seconds that a streamed answer may take in all, 1 to 600. @default '300' */
  readonly STREAM_SECONDS?: string
  /** Tokens that the questions of a tenant may take in a day, and in a month. @default without end */
  readonly TOKENS_PER_DAY?: string
  readonly TOKENS_PER_MONTH?: string
  /** Documents that a key may ingest in a day, and steps of work that reading them may take. @default without end */
  readonly DOCUMENTS_PER_DAY?: string
  readonly INGESTION_STEPS_PER_DAY?: string
  /** What is paid, for the statistics of what was saved: all four together, and a model beside them. */
  readonly PRICE_CURRENCY?: string
  /** For a million tokens that the model reads. */
  readonly PRICE_INPUT_PER_MILLION?: string
  /** For a million tokens that the model writes. */
  readonly PRICE_OUTPUT_PER_MILLION?: string
  /** For one round of retrieval, with its embedding and its reranker. */
  readonly PRICE_PER_RETRIEVAL?: string
  /** Tokens of an average call, for calls that report no tokens: both together. Without them those are unknown. */
  readonly AVERAGE_INPUT_TOKENS?: string
  readonly AVERAGE_OUTPUT_TOKENS?: string
  /**
   * An OpenAI-compatible endpoint that writes the answers, all three together; or `LLM_MODEL` alone, for a model of Workers AI.
   *
   * @default search results
   */
  readonly LLM_BASE_URL?: string
  readonly LLM_API_KEY?: string
  readonly LLM_MODEL?: string
  /** Models that stand in for it where it cannot answer, in order: a JSON list of `base_url`, `api_key`, `model`. @default none */
  readonly LLM_FALLBACKS?: string
  /** Field of a request that says how many tokens the model may write. @default 'max_tokens' */
  readonly LLM_MAX_TOKENS_FIELD?: string
  /** Seconds that the model has for a whole answer, and for the first words of a streamed one, 1 to 600. @default '20' */
  readonly LLM_TIMEOUT_SECONDS?: string
}
