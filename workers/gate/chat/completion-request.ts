/** Validates the parameters of a chat completion; unsupported ones are rejected. */
import { type Chat, readChat } from '@hono-rag-gate/chat'
import type { Sampling } from '@hono-rag-gate/models'
import type { MiddlewareHandler } from 'hono'
import { RagGateError } from 'hono-rag-gate/errors'
import type { GateBindings } from '../bindings.ts'
import { WorkerError } from '../errors.ts'
import { requireModel } from './list-models.ts'

/** Whether a parameter's value is supported. */
type Kind = (value: unknown) => boolean

const between =
  (least: number, most: number): Kind =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most
const whole =
  (least: number): Kind =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least
const only =
  (granted: unknown): Kind =>
  (value) =>
    value === granted
const isText: Kind = (value) => typeof value === 'string'
const isFlag: Kind = (value) => typeof value === 'boolean'
const isObject: Kind = (value) => typeof value === 'object' && !Array.isArray(value)
const isStop: Kind = (value) =>
  isText(value) || (Array.isArray(value) && value.length <= 4 && value.every((each) => isText(each)))

/** Supported parameters: for the model, without effect, or naming the caller. `null` counts as absent. */
const PARAMETERS: Readonly<Record<string, Kind>> = {
  messages: () => true,
  model: () => true,
  stream: () => true,
  rag_gate: () => true,
  stream_options: isObject,
  temperature: between(0, 2),
  top_p: between(0, 1),
  max_tokens: whole(1),
  max_completion_tokens: whole(1),
  stop: isStop,
  seed: whole(-Number.MAX_SAFE_INTEGER),
  n: only(1),
  frequency_penalty: only(0),
  presence_penalty: only(0),
  logprobs: only(false),
  store: only(false),
  parallel_tool_calls: isFlag,
  response_format: (value) => isObject(value) && (value as { readonly type?: unknown }).type === 'text',
  tools: (value) => Array.isArray(value) && value.length === 0,
  user: isText,
  metadata: isObject,
  safety_identifier: isText,
  prompt_cache_key: isText,
}

/** Maximum length of all system messages, in UTF-16 code units, as of the turns before the question. */
const MAX_INSTRUCTIONS_LENGTH = 8000

/**
 * Validates a request's parameters before the gate.
 *
 * @throws what `readChat` throws; `question_type` for UI messages; `unknown_field`, `parameter`, `model_not_found`
 */
export const checkRequest: MiddlewareHandler<{ Bindings: GateBindings }> = async function checkRequest(c, next) {
  const { body, model, protocol, instructions = '' } = await readChat(c)
  if (protocol !== 'openai') {
    throw new RagGateError('question_type', 'messages must be those of a chat completion', { param: 'messages' })
  }
  if (instructions.length > MAX_INSTRUCTIONS_LENGTH) {
    const message = `The system messages may have at most ${MAX_INSTRUCTIONS_LENGTH} characters`
    throw new WorkerError('parameter', message, { param: 'messages' })
  }
  for (const [name, value] of Object.entries(body)) {
    const facts = { param: name }
    const kind = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined
    if (kind === undefined) throw new RagGateError('unknown_field', 'This parameter is not supported', facts)
    if (value !== null && !kind(value)) {
      throw new WorkerError('parameter', 'This parameter cannot have this value here', facts)
    }
  }
  requireModel(c.env, model, 'model')
  await next()
}

/** The sampling parameters of a validated request. */
export function samplingOf({ body }: Pick<Chat, 'body'>): Sampling {
  const { temperature, top_p: topP, max_tokens, max_completion_tokens, stop, seed } = body
  const maxTokens = max_completion_tokens ?? max_tokens
  const given = { temperature, topP, maxTokens, stop: isText(stop) ? [stop] : stop, seed }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => (value ?? null) !== null))
}
