/** Talks to a gate over HTTP, as any client would. */
import { setTimeout as wait } from 'node:timers/promises'
import { CommandError, GateFailure } from './command-error.ts'

/** Where a gate is, and as whom to ask. */
export interface GateAddress {
  /** Origin of the Worker, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** Token or key; without one, questions are anonymous. */
  readonly key?: string
}

/** Where a passage is from. */
export interface PassageName {
  readonly document_id?: string
  readonly title?: string
  readonly section?: string
  readonly source?: string
}

/** One line of an explanation. */
export interface ExplainedFact {
  readonly label: string
  readonly value: string
}

/** Why a decision came out as it did, in words ready to be shown. */
export interface ExplanationReply {
  readonly facts: readonly ExplainedFact[]
  readonly decision: string
  readonly reason?: string
  readonly checks: readonly { readonly passed?: boolean; readonly text: string }[]
  readonly analysis: readonly { readonly text: string }[]
  /** Absent where the policy has no such confidence. */
  readonly confidence?: ConfidenceGlance
  /** What its preset tells at a glance: such a confidence, or something else. */
  readonly glance?: Readonly<Record<string, unknown>>
}

/** A confidence at a glance. */
export interface ConfidenceGlance {
  readonly overall_confidence: number
  readonly interpretation: string
  readonly should_flag_for_review: boolean
}

/** What operators are told beside. */
export interface DetailReply {
  readonly confidence: number
  readonly findings: readonly { readonly gate: string; readonly outcome: string; readonly message: string }[]
  /** Absent from gates of an older version. */
  readonly explanation?: ExplanationReply
  /** Best first. */
  readonly chunks: readonly (PassageName & {
    readonly id: string
    readonly document_id: string
    readonly text: string
    readonly scores: Readonly<Record<string, number>>
  })[]
}

/** An answer or refusal as `POST /ask` sends it. */
export interface AskReply {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly answer: string
    readonly refused: boolean
    /** What made the answer; a refusal has none. */
    readonly answered_by?: 'model' | 'search'
    readonly verdict: 'pass' | 'advise' | 'refuse'
    readonly band: string
    readonly reason_code: string
    readonly refusal_reason?: string
    readonly caution?: string
    readonly suggestions?: readonly string[]
    /** Passages that came closest to a refused question, where the gate names them. */
    readonly closest?: readonly PassageName[]
    /** What the answer rests on; a route of another application may name none. */
    readonly sources?: readonly (PassageName & { readonly number: number; readonly document_id: string })[]
    /** The answer of a gate without a model, best first. */
    readonly passages?: readonly (PassageName & { readonly text: string })[]
    readonly detail?: DetailReply
    /** What it cost, in words, for operators of a gate with prices. */
    readonly cost?: string
  }
}

/** A document as `POST /v1/documents` takes it. */
export interface GateDocument {
  readonly id: string
  readonly text: string
  readonly title?: string
  readonly source?: string
  readonly version?: string
  readonly format?: 'markdown' | 'text' | 'html'
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** What became of a document that was taken. */
export interface IngestedReply {
  readonly id: string
  readonly status: 'added' | 'changed' | 'unchanged' | 'empty'
  readonly chunks: number
  readonly chunks_written: number
  readonly chunks_removed: number
  readonly flags: readonly string[]
}

/** What became of a document. */
export type DocumentReply =
  | IngestedReply
  | { readonly id: string; readonly status: 'failed'; readonly code: string; readonly message?: string }

/** What `POST /v1/documents` answers. */
export interface IngestReply {
  readonly corpus_version: number
  readonly documents: readonly DocumentReply[]
  readonly chunks_to_remove: number
  /** How full the index is, from 80 % on. */
  readonly nearly_full?: { readonly used_bytes: number; readonly limit_bytes: number }
}

/** Statuses that a moment later may be others: a conflict, too many requests, a failed upstream. */
const PASSING = new Set([409, 429, 502, 503, 504])

const MAX_TRIES = 4
/** A call of documents takes long; longer than this, nothing comes any more. */
const DEADLINE_MS = 300_000
const LONGEST_WAIT_SECONDS = 60

/**
 * Sends a request; what passes by itself is tried again, as `Retry-After` says or after 1, 2 and 4 seconds.
 *
 * @param repeatable whether it may be carried out twice: a gate that answers 503 may have done it all the same
 * @throws `CommandError` for an address that does not answer and for every error of the gate
 */
export async function callGate<Reply>(
  gate: GateAddress,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  repeatable: 'repeatable' | 'once' = 'repeatable',
): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    const response = await request(gate, method, path, body)
    const text = await response.text()
    // What is deleted may be answered with nothing.
    if (response.ok) return (text === '' && method === 'DELETE' ? undefined : parsed(response.status, text)) as Reply
    if (!PASSING.has(response.status) || tries === MAX_TRIES || repeatable === 'once')
      throw failureOf(response.status, text)
    const asked = Number(response.headers.get('retry-after') ?? 2 ** (tries - 1))
    await wait(1000 * Math.min(LONGEST_WAIT_SECONDS, Number.isFinite(asked) ? asked : 1))
  }
}

/** Asks a question, once. What the gate answers with an error is an answer too. */
export async function ask(
  gate: string | GateAddress,
  question: string,
  fields: Readonly<Record<string, unknown>> = {},
  path: '/ask' | '/v1/judgements' = '/ask',
): Promise<AskReply> {
  const address = typeof gate === 'string' ? { url: gate } : gate
  const response = await request(address, 'POST', path, { question, ...fields })
  const body = parsed(response.status, await response.text()) as AskReply['body']
  return { status: response.status, headers: response.headers, body }
}

/** Sends documents in. @throws `CommandError` when one of them failed */
export async function ingest(
  url: string,
  key: string,
  documents: readonly GateDocument[],
  collection = 'default',
): Promise<{ readonly corpus_version: number; readonly documents: readonly IngestedReply[] }> {
  const reply = await callGate<IngestReply>({ url, key }, 'POST', '/v1/documents', { collection, documents })
  const taken = reply.documents.map((document) => {
    if (document.status === 'failed') throw new CommandError(`${document.id} failed: ${document.code}`)
    return document
  })
  return { corpus_version: reply.corpus_version, documents: taken }
}

/** Reads the statistics. */
export async function statistics<Summary>(url: string, key: string): Promise<Summary> {
  return callGate<Summary>({ url, key }, 'GET', '/v1/stats')
}

async function request({ url, key }: GateAddress, method: string, path: string, body: unknown): Promise<Response> {
  try {
    return await fetch(url.replace(/\/+$/, '') + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'TimeoutError') {
      throw new CommandError(`The gate at ${url} did not answer within ${DEADLINE_MS / 60_000} minutes`)
    }
    throw new CommandError(`No gate answers at ${url}: is it running, and is the address right?`, { cause: thrown })
  }
}

/** @throws `CommandError` for what is no JSON object, such as the page of a proxy */
function parsed(status: number, text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (typeof value !== 'object' || value === null) throw notAGate(status)
  return value
}

/** The gate's own words, or the status of what answered instead. */
export function failureOf(status: number, text: string): CommandError {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; param?: string } }
    if (typeof error.code === 'string' && typeof error.message === 'string') return new GateFailure(status, error)
  } catch {
    // The answer is not that of a gate.
  }
  return notAGate(status)
}

/** @throws `CommandError` for a reply that lacks one of these members: what answered is something else */
export function requireMembers<Reply extends object>(reply: Reply, ...members: readonly (keyof Reply)[]): Reply {
  if (!members.every((member) => Object.hasOwn(reply, member))) throw notAGate(200)
  return reply
}

function notAGate(status: number): CommandError {
  return new CommandError(`The address answered ${status}, and not as a gate does`)
}
