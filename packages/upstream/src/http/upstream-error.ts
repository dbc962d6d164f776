/** Converts upstream faults to errors of this package. They contain nothing that the upstream sent. */
import { RagGateError, type RagGateErrorOptions } from 'hono-rag-gate/errors'
import { UpstreamFault, type UpstreamFaultKind } from './upstream-fault.ts'

/** The upstream's role (prefix of the error code), and its name (subject of the message). */
export interface UpstreamName {
  readonly role: 'retriever' | 'reranker' | 'llm'
  /** Such as `The index`. */
  readonly what: string
}

const LATE = ['timeout', 'did not answer in time'] as const

/** Outcomes of fault kinds; any other fault is a bad response. */
const ERRORS: Partial<Readonly<Record<UpstreamFaultKind, readonly [Outcome, string]>>> = {
  timeout: LATE,
  late: LATE,
  aborted: LATE,
  network: ['unavailable', 'cannot be reached'],
  unavailable: ['unavailable', 'cannot answer now'],
  'circuit-open': ['unavailable', 'failed too often'],
}

/** The error for a fault; other errors are returned unchanged. */
export function errorOfFault(name: UpstreamName, thrown: unknown): unknown {
  if (!(thrown instanceof UpstreamFault)) return thrown
  const { kind, status, retryAfterSeconds } = thrown
  const [outcome, words] = ERRORS[kind] ?? ['bad_response', answered(kind)]
  return errorOf(name, outcome, words, { cause: thrown, upstreamStatus: status, retryAfterSeconds })
}

/**
 * The error for an unsuccessful status that is not retried. Only a model may reject a request for its content: a
 * question or context that is too long, blocked by a filter, or with an unsupported setting.
 */
export function errorOfStatus(name: UpstreamName, status: number): RagGateError {
  const facts = { upstreamStatus: status }
  if (name.role === 'retriever' && status === 507) return indexFull(facts)
  if ([401, 402, 403].includes(status)) return errorOf(name, 'misconfigured', 'does not accept the credentials', facts)
  if ([404, 405, 410].includes(status)) return errorOf(name, 'misconfigured', 'is not there', facts)
  if (name.role === 'llm' && status >= 400 && status < 500) {
    return new RagGateError('llm_bad_request', `${name.what} rejected the request: status ${status}`, facts)
  }
  return errorOf(name, 'bad_response', answered(`status ${status}`), facts)
}

/** The error for an index without room for a write; a retry does not help. */
export function indexFull(facts: RagGateErrorOptions = {}): RagGateError {
  return new RagGateError('index_full', 'The index is full', facts)
}

/** @param detail our own text, for the log; never the upstream's */
export function badResponse(name: UpstreamName, detail: string): RagGateError {
  return errorOf(name, 'bad_response', answered(detail))
}

/** Outcome of a request: the suffix of the error code, and the predicate of the message. */
type Outcome = 'timeout' | 'unavailable' | 'misconfigured' | 'bad_response'

function errorOf(
  { role, what }: UpstreamName,
  outcome: Outcome,
  words: string,
  facts?: RagGateErrorOptions,
): RagGateError {
  return new RagGateError(`${role}_${outcome}`, `${what} ${words}`, facts)
}

function answered(detail: string): string {
  return `sent an unexpected response: ${detail}`
}

/**
 * Parses a body as JSON. The parser's error quotes the text, so it is not kept.
 *
 * @throws `…_bad_response`
 */
export function readJson(name: UpstreamName, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badResponse(name, 'not JSON')
  }
}
