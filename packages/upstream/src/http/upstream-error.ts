/** What went wrong with an upstream, as an error of this package. Nothing that the upstream said goes into it. */
import { RagGateError, type RagGateErrorOptions } from 'hono-rag-gate/errors'
import { UpstreamFault, type UpstreamFaultKind } from './upstream-fault.ts'

/** Whose failure it is: the beginning of the error's code, and the subject of its message. */
export interface UpstreamName {
  readonly role: 'retriever' | 'reranker' | 'llm'
  /** Such as `The index`. */
  readonly what: string
}

const LATE = ['timeout', 'did not answer in time'] as const

/** The errors of faults, by what they are called; any other is an answer that should not be. */
const ERRORS: Partial<Readonly<Record<UpstreamFaultKind, readonly [Outcome, string]>>> = {
  timeout: LATE,
  late: LATE,
  aborted: LATE,
  network: ['unavailable', 'cannot be reached'],
  unavailable: ['unavailable', 'cannot answer now'],
  'circuit-open': ['unavailable', 'failed too often just before'],
}

/** The error for a fault; other errors are given back as they are. */
export function errorOfFault(name: UpstreamName, thrown: unknown): unknown {
  if (!(thrown instanceof UpstreamFault)) return thrown
  const { kind, status, retryAfterSeconds } = thrown
  const [outcome, words] = ERRORS[kind] ?? ['bad_response', answered(kind)]
  return errorOf(name, outcome, words, { cause: thrown, upstreamStatus: status, retryAfterSeconds })
}

/**
 * The error for a status that is no success and not worth a retry. A model is the one upstream that may turn a request
 * down for what is in it: a question or context too long, a text its filter does not take, a setting it does not know.
 */
export function errorOfStatus(name: UpstreamName, status: number): RagGateError {
  const facts = { upstreamStatus: status }
  if (name.role === 'retriever' && status === 507) return indexFull(facts)
  if ([401, 402, 403].includes(status)) return errorOf(name, 'misconfigured', 'does not accept the credentials', facts)
  if ([404, 405, 410].includes(status)) return errorOf(name, 'misconfigured', 'is not where it should be', facts)
  if (name.role === 'llm' && status >= 400 && status < 500) {
    return new RagGateError('llm_bad_request', `${name.what} did not take the request: status ${status}`, facts)
  }
  return errorOf(name, 'bad_response', answered(`status ${status}`), facts)
}

/** The index has no room for what was to be written; asking again does not help. */
export function indexFull(facts: RagGateErrorOptions = {}): RagGateError {
  return new RagGateError('index_full', 'The index is full', facts)
}

/** @param detail ours, for the log; never what the upstream said */
export function badResponse(name: UpstreamName, detail: string): RagGateError {
  return errorOf(name, 'bad_response', answered(detail))
}

/** What became of a request: the end of the error's code, and the predicate of its message. */
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
 * Reads a body as JSON. What the parser says of a text quotes it, so that it is not kept.
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
