/** What went wrong with an upstream, as an error of this package. Nothing that the upstream said goes into it. */
import { RagGateError } from '../errors.ts'
import { UpstreamFault } from './upstream-fault.ts'

/** Whose failure it is: the beginning of the error's code, and the subject of its message. */
export interface UpstreamName {
  readonly role: 'retriever' | 'reranker' | 'llm'
  /** Such as `The index`. */
  readonly what: string
}

/** The error for a fault; whatever else was thrown is given back as it is. */
export function errorOfFault({ role, what }: UpstreamName, thrown: unknown): unknown {
  if (!(thrown instanceof UpstreamFault)) return thrown
  const { kind, status, retryAfterSeconds } = thrown
  const facts = {
    cause: thrown,
    ...(status === undefined ? {} : { upstreamStatus: status }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
  switch (kind) {
    case 'timeout':
    case 'aborted':
      return new RagGateError(`${role}_timeout`, `${what} did not answer in time`, facts)
    case 'network':
      return new RagGateError(`${role}_unavailable`, `${what} cannot be reached`, facts)
    case 'unavailable':
      return new RagGateError(`${role}_unavailable`, `${what} cannot answer now`, facts)
    case 'circuit-open':
      return new RagGateError(
        `${role}_unavailable`,
        `${what} failed too often just before, and is not asked now`,
        facts,
      )
    case 'redirect':
    case 'too-large':
    case 'not-utf8':
      return new RagGateError(`${role}_bad_response`, `${what} answered what it should not: ${kind}`, facts)
  }
}

/**
 * The error for a status that is no success and not worth a retry. A model is the one upstream that may turn a request
 * down for what is in it: a question or context too long, a text its filter does not take, a setting it does not know.
 */
export function errorOfStatus({ role, what }: UpstreamName, status: number): RagGateError {
  const facts = { upstreamStatus: status }
  if (status === 401 || status === 402 || status === 403) {
    return new RagGateError(`${role}_misconfigured`, `${what} does not accept the credentials`, facts)
  }
  if (status === 404 || status === 405 || status === 410) {
    return new RagGateError(`${role}_misconfigured`, `${what} is not where it should be`, facts)
  }
  if (role === 'llm' && status >= 400 && status < 500) {
    return new RagGateError('llm_bad_request', `${what} did not take the request: status ${status}`, facts)
  }
  return new RagGateError(`${role}_bad_response`, `${what} answered what it should not: status ${status}`, facts)
}

/** @param detail ours, for the log; never what the upstream said */
export function badResponse({ role, what }: UpstreamName, detail: string): RagGateError {
  return new RagGateError(`${role}_bad_response`, `${what} answered what it should not: ${detail}`)
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
