/** Reads and checks the question of a request. */
import type { Context } from 'hono'
import { canonicalJson, isExact, lengthPrefixed } from '../core/lib/canonical.ts'
import { isRecord } from '../core/lib/guards.ts'
import type { Json } from '../core/lib/json.ts'
import { type OptionKinds, requireOptions, strings } from '../core/lib/options.ts'
import { requireQuestion } from '../core/text/question.ts'
import { isRagGateError, RagGateError } from '../errors.ts'
import type { ReadQuestion, ReadSettings } from './check-options.ts'
import type { QuestionInRequest } from './options.ts'
import { withoutOwnTenant } from './own-tenant.ts'
import { jsonObjectIn, readByHono, readJsonText } from './read-body.ts'
import { isHttpException } from './respond.ts'

/** Deadline for a body. */
const BODY_TIMEOUT_MS = 10_000

const COLLECTION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/**
 * Reads a question.
 *
 * @param tenant the caller's tenant; the body may not name another, unless unknown members are allowed
 * @throws the errors of `readJsonObject`; `tenant_mismatch`, `unknown_field`, `question_required`, `question_type`, `invalid_unicode`,
 *   `control_character`, `question_too_long`, `collection_id`, `stream_type`; `config_invalid` for an invalid result of `read`
 */
export async function readQuestion(c: Context, options: ReadSettings, tenant: string): Promise<ReadQuestion> {
  if (options.read !== undefined) return readByHook(c, options, options.read)
  const { field, otherFields } = options
  const text = await readJsonText(c.req, { maxBytes: options.maxBodyBytes, timeoutMs: BODY_TIMEOUT_MS })
  const body = jsonObjectIn(text)
  // `stream` is for the handler, and not part of the answer key: middleware around the gate converts the form.
  const { [field]: question, collection, stream, ...unknown } = body
  checkStream(stream)
  let others: typeof unknown = unknown
  if (otherFields === 'refuse') {
    others = withoutOwnTenant(unknown, tenant)
    if (Object.keys(others).length > 0)
      throw new RagGateError('unknown_field', `The body may have only ${field}, collection, stream`)
  }
  return {
    question: checkQuestion(question, options),
    collection: collection === undefined ? undefined : checkCollectionId(collection),
    // JSON.parse rounds some numbers; then only the raw text distinguishes bodies.
    otherFields: isExact(others) ? canonicalJson(others as Record<string, Json>) : text,
  }
}

/** Objects would look alike in the answer key, and one caller would get the answer of another. */
const READ: OptionKinds<{ readonly vary?: unknown }> = { vary: strings }

/** Reads the question by the application's `read`. The rest of the request joins the answer key, unless `read` returns `vary`. */
async function readByHook(
  c: Context,
  options: ReadSettings,
  read: NonNullable<ReadSettings['read']>,
): Promise<ReadQuestion> {
  let given: string | QuestionInRequest
  try {
    given = await read(c)
  } catch (thrown) {
    if (isRagGateError(thrown) || isHttpException(thrown)) throw thrown
    throw new RagGateError('invalid_json', 'No question could be read')
  }
  const found = typeof given === 'string' ? { question: given } : (given ?? {})
  const { question, collection, vary }: Partial<QuestionInRequest> = found
  requireOptions(isRecord(found) ? { vary } : found, READ, 'config_invalid', 'question.read')
  return {
    question: checkQuestion(question, options),
    collection: collection === undefined ? undefined : checkCollectionId(collection),
    otherFields: lengthPrefixed(
      vary ?? [
        // A HEAD is answered like the GET.
        c.req.method.replace('HEAD', 'GET'),
        c.req.url,
        // Binary bodies are possible, so each byte becomes one character.
        `${c.req.header('content-type')}`,
        new TextDecoder('latin1').decode(await readByHono(c.req.arrayBuffer())),
      ],
    ),
  }
}

/**
 * Checks and normalises a question.
 *
 * @throws `question_required`, `question_type`, `invalid_unicode`, `control_character`, `question_too_long`
 */
export function checkQuestion(
  value: unknown,
  { field, maxCodePoints }: Pick<ReadSettings, 'field' | 'maxCodePoints'>,
): string {
  const facts = { param: field }
  if (value === undefined) throw new RagGateError('question_required', `${field} is missing`, facts)
  if (typeof value !== 'string') throw new RagGateError('question_type', `${field} must be a string`, facts)
  const question = requireQuestion(value, field)
  if (question.length > maxCodePoints && [...question].length > maxCodePoints) {
    throw new RagGateError('question_too_long', `The question may have at most ${maxCodePoints} characters`, facts)
  }
  return question
}

function checkStream(value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return
  throw new RagGateError('stream_type', 'stream must be true or false', { param: 'stream' })
}

/**
 * Checks a collection's id.
 *
 * @throws `collection_id`
 */
export function checkCollectionId(value: unknown): string {
  if (typeof value !== 'string' || !COLLECTION_ID.test(value)) {
    throw new RagGateError('collection_id', 'collection must be 1 to 64 of A-Z a-z 0-9 . _ -', { param: 'collection' })
  }
  return value
}
