/** What went wrong with an upstream, as an error of this package. Nothing that the upstream said goes into it. */
import { RagGateError } from '../errors.ts'
import type { BoundedResponse } from './bounded-fetch.ts'
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
  const { kind, retryAfterSeconds } = thrown
  const facts = { cause: thrown, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }
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
      return badResponse({ role, what }, kind, thrown)
  }
}

/** The error for a status that is no success and not worth a retry. */
export function errorOfStatus({ role, what }: UpstreamName, { status }: BoundedResponse): RagGateError {
  if (status === 401 || status === 403) {
    return new RagGateError(`${role}_misconfigured`, `${what} does not accept the credentials`)
  }
  if (status === 404 || status === 405) {
    return new RagGateError(`${role}_misconfigured`, `${what} is not where it should be`)
  }
  return badResponse({ role, what }, `status ${status}`)
}

/** @param detail ours, for the log; never what the upstream said */
export function badResponse({ role, what }: UpstreamName, detail: string, cause?: unknown): RagGateError {
  return new RagGateError(`${role}_bad_response`, `${what} answered what it should not: ${detail}`, { cause })
}

/**
 * Reads a body as JSON.
 *
 * @throws `…_bad_response`
 */
export function readJson(name: UpstreamName, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw badResponse(name, 'not JSON', thrown)
  }
}
