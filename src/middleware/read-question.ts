/** From a request's JSON to a question, or to an error that says what is wrong with it. */
import type { HonoRequest } from 'hono'
import { canonicalJson } from '../core/lib/canonical.ts'
import type { Json } from '../core/lib/json.ts'
import { requireQuestion } from '../core/text/question.ts'
import { SEARCH_MODES, type SearchMode } from '../core/evidence/search-mode.ts'
import { RagGateError } from '../errors.ts'
import { withoutOwnTenant } from './own-tenant.ts'
import { type BodyLimits, readJsonObject } from './read-body.ts'

/** How questions are read. */
export interface QuestionOptions {
  /**
   * Member of the JSON body that holds the question.
   *
   * @default 'question'
   */
  readonly field?: string
  /**
   * Longest question, Unicode code points.
   *
   * @default 2000
   */
  readonly maxCodePoints?: number
  /**
   * Largest body, bytes.
   *
   * @default 65536
   */
  readonly maxBodyBytes?: number
  /**
   * How long the body may take to arrive, milliseconds.
   *
   * @default 10000
   */
  readonly bodyTimeoutMs?: number
  /**
   * What to do with members that the gate does not know. `refuse` protects against options a client believes in and the
   * server ignores. `allow` leaves them to the route's own handler and makes them part of the answer key; the gate never
   * reads them.
   *
   * @default 'refuse'
   */
  readonly otherFields?: 'refuse' | 'allow'
}

/** Whose requests may name the methods of retrieval in `search_mode`; for `none` the member is unknown like any other. */
export type SearchModes = 'none' | 'operators'

/** A question as read. */
export interface ReadQuestion {
  /** Normalised. */
  readonly question: string
  /** Collection that the request named. */
  readonly collection: string | undefined
  /** Methods of retrieval that the request named. */
  readonly searchMode: SearchMode | undefined
  /** The other members, as canonical JSON. */
  readonly otherFields: string
}

const COLLECTION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/**
 * Reads a question.
 *
 * @param tenant who asks; the body may name no other, unless its members are the handler's
 * @throws whatever `readJsonObject` throws; `tenant_mismatch`, `unknown_field`, `question_required`, `question_type`, `invalid_unicode`,
 *   `control_character`, `question_too_long`, `collection_id`, `search_mode`
 */
export async function readQuestion(
  request: HonoRequest,
  options: Required<QuestionOptions>,
  tenant: string,
  searchModes: SearchModes = 'none',
): Promise<ReadQuestion> {
  const limits: BodyLimits = { maxBytes: options.maxBodyBytes, timeoutMs: options.bodyTimeoutMs }
  const body = await readJsonObject(request, limits)
  const { [options.field]: question, collection, ...rest } = body
  const { search_mode: searchMode, ...withoutMode } = rest
  const unknown = searchModes === 'none' ? rest : withoutMode
  const others = options.otherFields === 'refuse' ? withoutOwnTenant(unknown, tenant) : unknown
  const members = [options.field, 'collection', ...(searchModes === 'none' ? [] : ['search_mode'])]
  if (options.otherFields === 'refuse' && Object.keys(others).length > 0) {
    throw new RagGateError('unknown_field', `The body may have only these members: ${members.join(', ')}`)
  }
  return {
    question: checkQuestion(question, options),
    collection: collection === undefined ? undefined : checkCollectionId(collection),
    searchMode: searchModes === 'none' || searchMode === undefined ? undefined : checkSearchMode(searchMode),
    // What JSON.parse made is JSON.
    otherFields: canonicalJson(others as Record<string, Json>),
  }
}

function checkQuestion(value: unknown, { field, maxCodePoints }: Required<QuestionOptions>): string {
  const facts = { param: field }
  if (value === undefined) throw new RagGateError('question_required', `${field} is missing`, facts)
  if (typeof value !== 'string') throw new RagGateError('question_type', `${field} must be a text`, facts)
  const question = requireQuestion(value, field)
  if (question.length > maxCodePoints && [...question].length > maxCodePoints) {
    throw new RagGateError('question_too_long', `${field} may have at most ${maxCodePoints} characters`, facts)
  }
  return question
}

function checkSearchMode(value: unknown): SearchMode {
  const mode = SEARCH_MODES.find((known) => known === value)
  if (mode !== undefined) return mode
  throw new RagGateError('search_mode', `search_mode must be one of ${SEARCH_MODES.join(', ')}`, {
    param: 'search_mode',
  })
}

/**
 * A collection's id, checked.
 *
 * @throws `collection_id`
 */
export function checkCollectionId(value: unknown): string {
  if (typeof value !== 'string' || !COLLECTION_ID.test(value)) {
    throw new RagGateError(
      'collection_id',
      'collection must be 1 to 64 of letters, digits, point, hyphen, underscore',
      {
        param: 'collection',
      },
    )
  }
  return value
}
