/** HTTP client of a gate. */
import { setTimeout as wait } from 'node:timers/promises'
import { isRecord } from 'hono-rag-gate/core/lib'
import { CommandError, GateFailure } from './command-error.ts'

/** Address and key of a gate. */
export interface GateAddress {
  /** Origin of the Worker, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** Token or key; without one, questions are anonymous. */
  readonly key?: string
  /** Called before each pause in `callGate`, which may take a minute. */
  readonly onPause?: (failure: CommandError, seconds: number) => void
}

/** Origin of a passage. */
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

/** The explanation of a decision, in words. */
export interface ExplanationReply {
  readonly facts: readonly ExplainedFact[]
  readonly decision: string
  readonly reason?: string
  readonly checks: readonly { readonly passed?: boolean; readonly text: string }[]
  readonly analysis: readonly { readonly text: string }[]
  /** Absent if the policy has no such confidence. */
  readonly confidence?: ConfidenceGlance
  /** The short form that the policy's preset adds: such a confidence, or something else. */
  readonly glance?: Readonly<Record<string, unknown>>
}

/** Short form of a confidence. */
export interface ConfidenceGlance {
  readonly overall_confidence: number
  readonly interpretation: string
  readonly should_flag_for_review: boolean
}

/** Further details for operators. */
export interface DetailReply {
  readonly confidence: number
  readonly findings: readonly { readonly gate: string; readonly outcome: string; readonly message: string }[]
  /** Absent from older gates. */
  readonly explanation?: ExplanationReply
  /** Best first. */
  readonly chunks: readonly (PassageName & {
    readonly id: string
    readonly document_id: string
    readonly text: string
    readonly scores: Readonly<Record<string, number>>
  })[]
}

/** An answer or refusal from `POST /ask`. */
export interface AskReply {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly answer: string
    readonly refused: boolean
    /** Origin of the answer; absent for a refusal. */
    readonly answered_by?: 'model' | 'search'
    readonly verdict: 'pass' | 'advise' | 'refuse'
    readonly band: string
    readonly reason_code: string
    readonly refusal_reason?: string
    readonly caution?: string
    readonly suggestions?: readonly string[]
    /** Best passages for a refused question, if the gate names them. */
    readonly closest?: readonly PassageName[]
    /** Sources of the answer; routes of other applications may have none. */
    readonly sources?: readonly (PassageName & { readonly number: number; readonly document_id: string })[]
    /** The answer of a gate without a model: passages, best first. */
    readonly passages?: readonly (PassageName & { readonly text: string })[]
    readonly detail?: DetailReply
    /** Cost in words, for operators of a gate with configured prices. */
    readonly cost?: string
  }
}

/** A document in `POST /v1/documents`. */
export interface GateDocument {
  readonly id: string
  readonly text: string
  readonly title?: string
  readonly source?: string
  readonly version?: string
  readonly format?: 'markdown' | 'text' | 'html'
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Result for an accepted document. */
export interface IngestedReply {
  readonly id: string
  readonly status: 'added' | 'changed' | 'unchanged' | 'empty'
  readonly chunks: number
  readonly chunks_written: number
  readonly chunks_removed: number
  readonly flags: readonly string[]
}

/** Result for a document. */
export type DocumentReply =
  | IngestedReply
  | { readonly id: string; readonly status: 'failed'; readonly code: string; readonly message?: string }

/** Response of `POST /v1/documents`. */
export interface IngestReply {
  readonly corpus_version: number
  readonly documents: readonly DocumentReply[]
  readonly chunks_to_remove: number
  /** Capacity of the index, if at least 80 % is used. */
  readonly nearly_full?: { readonly used_bytes: number; readonly limit_bytes: number }
}

/** Transient statuses: a conflict, too many requests, a failed upstream. */
const PASSING = new Set([409, 429, 502, 503, 504])
/** Code of the conflict that stays: a policy calibrated on something else. */
const LASTING = 'policy_pin_mismatch'

const MAX_TRIES = 4
/** Deadline of a request; ingestion takes long. */
const DEADLINE_MS = 300_000
const LONGEST_WAIT_SECONDS = 60

/**
 * Sends a request, and retries transient failures after the time in `Retry-After`, or after 1, 2 and 4 seconds; a
 * connection that broke before a response is one. If the gate asks for more than a minute, the request is not retried.
 *
 * @param repeatable whether the request may be carried out twice: a gate that answers 503 may have carried it out
 * @throws `CommandError` for an unreachable address and for every error of the gate
 */
export async function callGate<Reply>(
  gate: GateAddress,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  repeatable: 'repeatable' | 'once' = 'repeatable',
): Promise<Reply> {
  for (let tries = 1; ; tries++) {
    let failure: CommandError
    let ms: number | undefined
    try {
      const { response, text } = await request(gate, method, path, body)
      // The response to a deletion may be empty.
      if (response.ok) return (text === '' && method === 'DELETE' ? undefined : parsed(response.status, text)) as Reply
      failure = failureOf(response.status, text)
      const lasts = failure instanceof GateFailure && failure.code === LASTING
      if (PASSING.has(response.status) && !lasts) ms = pauseMs(response, tries)
    } catch (thrown) {
      if (!(thrown instanceof LostConnection)) throw thrown
      failure = thrown
      ms = pauseMs({ headers: new Headers() }, tries)
    }
    if (tries === MAX_TRIES || repeatable === 'once' || ms === undefined) throw failure
    gate.onPause?.(failure, ms / 1000)
    await wait(ms)
  }
}

/** The connection broke before a response. */
class LostConnection extends CommandError {}

/** Codes of such errors: of the system, and of Node's client. */
const LOST = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

function isLost(thrown: unknown): boolean {
  const { cause } = thrown as { readonly cause?: { readonly code?: string } }
  return LOST.has(cause?.code ?? '')
}

/** Pause before a request is repeated; `undefined` if the gate asks for a longer one, as with a spent budget. */
export function pauseMs({ headers }: Pick<Response, 'headers'>, tries: number): number | undefined {
  const asked = Number(headers.get('retry-after') ?? 2 ** (tries - 1))
  if (asked > LONGEST_WAIT_SECONDS) return undefined
  return 1000 * (asked >= 0 ? asked : 1)
}

/** Asks a question, without retries. Error responses are returned, not thrown. */
export async function ask(
  gate: string | GateAddress,
  question: string,
  fields: Readonly<Record<string, unknown>> = {},
  path: '/ask' | '/v1/judgements' = '/ask',
): Promise<AskReply> {
  const address = typeof gate === 'string' ? { url: gate } : gate
  const { response, text } = await request(address, 'POST', path, { question, ...fields })
  const body = parsed(response.status, text) as AskReply['body']
  return { status: response.status, headers: response.headers, body }
}

/** Ingests documents. @throws `CommandError` if one of them failed */
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

/** A response with its whole body. @throws `CommandError` if there is none, or if it leads elsewhere */
async function request(
  { url, key }: GateAddress,
  method: string,
  path: string,
  body: unknown,
): Promise<{ readonly response: Response; readonly text: string }> {
  let response: Response | undefined
  let text: string
  try {
    response = await fetch(url.replace(/\/+$/, '') + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(DEADLINE_MS),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    text = await response.text()
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'TimeoutError') {
      throw new CommandError(`The gate at ${url} did not answer within ${DEADLINE_MS / 60_000} minutes`)
    }
    if (response === undefined && isLost(thrown)) {
      throw new LostConnection(`The connection to ${url} broke off before a response`, { cause: thrown })
    }
    const message =
      response === undefined
        ? `No gate answers at ${url}: is it running, and is the address right?`
        : `The response of ${url} broke off, or cannot be decoded`
    throw new CommandError(message, { cause: thrown })
  }
  const elsewhere = response.status < 400 ? response.headers.get('location') : null
  // A redirect would drop the body of a POST, and could send the key elsewhere.
  if (elsewhere !== null) throw new CommandError(`${url} redirects to ${elsewhere}: give the gate's own address`)
  return { response, text }
}

/** @throws `CommandError` for anything but a JSON object, such as a proxy's page */
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

/** The gate's error message, or the status if the response is not from a gate. */
export function failureOf(status: number, text: string): CommandError {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; param?: string } }
    if (typeof error.code === 'string' && typeof error.message === 'string') return new GateFailure(status, error)
  } catch {
    // Not an error response of a gate.
  }
  return notAGate(status)
}

/**
 * Expected form of a value: its `typeof` or `null`, with `|` between alternatives; a list of one form; or the members of
 * an object. A member whose name ends in `?` may be absent.
 */
export type Form = string | readonly [Form] | { readonly [member: string]: Form }

/** Form of `GET /v1/collections`. */
export const COLLECTIONS: Form = {
  collections: [
    { id: 'string', policy: 'string|null', embedding_model: 'string', dimension: 'number', corpus_version: 'number' },
  ],
}

/** @throws `CommandError` if a response has another form, since it is then not from a gate */
export function requireForm<Reply>(reply: Reply, form: Form): Reply {
  if (!hasForm(reply, form)) throw notAGate(200)
  return reply
}

/** Whether a value has a form. */
export function hasForm(value: unknown, form: Form): boolean {
  if (typeof form === 'string') return form.split('|').includes(value === null ? 'null' : typeof value)
  if (isList(form)) return Array.isArray(value) && value.every((each) => hasForm(each, form[0]))
  return (
    isRecord(value) &&
    Object.entries(form).every(([name, of]) => {
      const member = value[name.replace('?', '')]
      return (member === undefined && name.endsWith('?')) || hasForm(member, of)
    })
  )
}

const isList = (form: Form): form is readonly [Form] => Array.isArray(form)

function notAGate(status: number): CommandError {
  const own = status === 404 ? ': is it the ready Worker? An app of your own has the routes that you mount' : ''
  return new CommandError(`The address answered ${status}, and not as a gate does${own}`)
}
