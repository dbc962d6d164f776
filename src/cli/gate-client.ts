/** Talks to a gate over HTTP, as any client would. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Refusal } from '../core/reports/refusal.ts'
import { CommandError } from './command-error.ts'

/** Where a gate is, and as whom to ask. */
export interface GateAddress {
  /** Origin of the Worker, such as `http://127.0.0.1:8787`. */
  readonly url: string
  /** Token or key; without one, one asks as anybody. */
  readonly key?: string
}

/** An answer or refusal as `POST /ask` sends it. */
export interface AskReply {
  readonly status: number
  readonly headers: Headers
  readonly body: Pick<Refusal, 'answer' | 'verdict' | 'band' | 'reason_code' | 'detail'> & {
    readonly refused: boolean
    readonly refusal_reason?: string
    readonly sources: readonly { readonly number: number; readonly document_id: string; readonly section?: string }[]
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
  readonly status: 'added' | 'changed' | 'unchanged'
  readonly chunks: number
  readonly chunks_written: number
  readonly chunks_removed: number
  readonly flags: readonly string[]
}

/** What became of a document. */
export type DocumentReply = IngestedReply | { readonly id: string; readonly status: 'failed'; readonly code: string }

/** What `POST /v1/documents` answers. */
export interface IngestReply {
  readonly corpus_version: number
  readonly documents: readonly DocumentReply[]
  readonly chunks_to_remove: number
}

/** Statuses that a moment later may be others: a conflict, too many requests, a failed upstream. */
const PASSING = new Set([409, 429, 502, 503, 504])

const MAX_TRIES = 4
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
    if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Reply
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
): Promise<AskReply> {
  const address = typeof gate === 'string' ? { url: gate } : gate
  const response = await request(address, 'POST', '/ask', { question, ...fields })
  return { status: response.status, headers: response.headers, body: (await response.json()) as AskReply['body'] }
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
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch (thrown) {
    throw new CommandError(`No gate answers at ${url}: is it running, and is the address right?`, { cause: thrown })
  }
}

/** The gate's own words, or the status of whatever answered instead. */
function failureOf(status: number, text: string): CommandError {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string; param?: string } }
    const where = error.param === undefined ? '' : ` (${error.param})`
    return new CommandError(`${error.code}: ${error.message}${where}`)
  } catch {
    return new CommandError(`The address answered ${status}, and not as a gate does`)
  }
}
