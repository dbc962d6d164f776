/** Reads what a chat client sends: OpenAI messages, UI messages of the AI SDK, or a question alone. */
import type { Context } from 'hono'
import { canonicalJson, isExact, isRecord, type Json, type OptionKinds, whole } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import { sha256Hex } from 'hono-rag-gate/http'
import { type QuestionInRequest, readJsonObject } from 'hono-rag-gate/middleware'

/** Protocol of a client: a JSON question, OpenAI's chat completions, or the AI SDK's UI message stream. */
export type Protocol = 'json' | 'openai' | 'ui-messages'

/** Form of a refusal. */
export type RefuseAs = 'content' | 'refusal' | 'error'

/** A turn before the question. */
export interface ChatTurn {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** A chat as sent. */
export interface Chat extends QuestionInRequest {
  /** The last user turn, as sent. */
  readonly question: string
  /** Earlier turns, oldest first, for the model only: they are not part of the search query. */
  readonly history: readonly ChatTurn[]
  /** Text of system and developer messages; absent without any. */
  readonly instructions?: string
  readonly protocol: Protocol
  /** Whether an OpenAI client asks for a stream. UI messages are always answered with one. */
  readonly stream: boolean
  /** Whether the client asks for token counts at the end of the stream. */
  readonly includeUsage: boolean
  /** Requested model, if any. */
  readonly model?: string
  /** Requested form of refusals, if any. */
  readonly refuseAs?: RefuseAs
  /** The body. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Limits of a chat. */
export interface ReadChatOptions {
  /**
   * Largest body, bytes.
   *
   * @default 262144
   */
  readonly maxBodyBytes?: number
  /**
   * Maximum length of the turns before the question, in UTF-16 code units, 0 and up: the newest turns that fit whole.
   *
   * @default 8000
   */
  readonly maxHistoryLength?: number
}

export const READ_CHAT: OptionKinds<ReadChatOptions> = { maxBodyBytes: whole(1), maxHistoryLength: whole(0) }

const BODY_TIMEOUT_MS = 10_000

/** The messages, which are read one by one, and members that differ per chat and change no answer. */
const OF_THE_EXCHANGE = [
  'messages',
  'id',
  'trigger',
  'messageId',
  'stream',
  'stream_options',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'metadata',
  'rag_gate',
]

const REFUSE_AS: readonly unknown[] = ['content', 'refusal', 'error'] satisfies readonly RefuseAs[]

/**
 * Reads a chat: the last user turn is the question, and the rest of the body joins the answer key: all turns, unless
 * `maxHistoryLength` is 0, with tool results and parts of other kinds, but without ids and metadata. If the app keeps
 * the earlier turns and receives only the last `message`, ids join too, so its answer is not shared. Use it as
 * `question.read` of `ragGate`; a handler may call it again. The object `rag_gate` of the body may name a `collection`
 * and the form of a refusal (`refuse_as`: `content`, `refusal`, `error`).
 *
 * @param options by default those that the request was first read with
 * @throws `question_required` if the last message is not the user's; `question_type` for malformed messages, and for
 *   images and files in the question; `unknown_field` for other members of `rag_gate`; `stream_type`; errors of the
 *   body (`unsupported_media_type`, `body_too_large`, `body_timeout`, `invalid_utf8`, `invalid_json`, `too_deep`)
 */
export async function readChat(c: Pick<Context, 'req'>, options?: ReadChatOptions): Promise<Chat> {
  const known = CHATS.get(c.req)
  if (known !== undefined && (options ?? known.options) === known.options) return known.chat
  const chat = await chatIn(c, options)
  CHATS.set(c.req, { options, chat })
  return chat
}

/** Chats by request: the gate and the protocol both read the chat, and a handler may. */
const CHATS = new WeakMap<Context['req'], { readonly options: ReadChatOptions | undefined; readonly chat: Chat }>()

async function chatIn(c: Pick<Context, 'req'>, options: ReadChatOptions = {}): Promise<Chat> {
  const { maxBodyBytes = 262_144, maxHistoryLength = 8000 } = options
  const body = await readJsonObject(c.req, { maxBytes: maxBodyBytes, timeoutMs: BODY_TIMEOUT_MS })
  const { message, question, stream_options: streaming, model } = body
  const isAlone = body['messages'] === undefined
  const messages = isAlone && question === undefined && message !== undefined ? [message] : body['messages']
  const stream = body['stream'] ?? false
  if (typeof stream !== 'boolean') {
    throw new RagGateError('stream_type', 'stream must be true or false', { param: 'stream' })
  }
  const said = messages === undefined ? { turns: [], others: [], ...questionAlone(question) } : readMessages(messages)
  const history = newestTurns(said.turns, maxHistoryLength)
  // A handler may read a question beside the messages, and all of the messages, so both join the answer key.
  // Without the earlier messages, only ids distinguish conversations.
  const read: readonly string[] = isAlone ? ['question', 'stream', 'rag_gate'] : OF_THE_EXCHANGE
  const others = Object.fromEntries(Object.entries(body).filter(([name]) => !read.includes(name)))
  const kept = maxHistoryLength === 0 ? said.others.slice(-1) : said.others
  // JSON.parse changes numbers that it cannot represent; such chats are distinguished by their text.
  const rest = isExact([others, kept]) ? [canonicalJson(others as Record<string, Json>), kept] : await c.req.text()
  return {
    ...said.asked,
    ...ownMember(body['rag_gate']),
    history,
    ...(said.instructions && { instructions: said.instructions }),
    stream,
    includeUsage: isRecord(streaming) && streaming['include_usage'] === true,
    ...(typeof model === 'string' && { model }),
    // Hashed, since a chat may be long and the key is in memory beside each answer.
    vary: [await sha256Hex(JSON.stringify([said.asked.protocol, said.instructions, maxHistoryLength, rest]))],
    body,
  }
}

interface Said {
  readonly turns: readonly ChatTurn[]
  /** Content of each message, without the text of the question. */
  readonly others: readonly unknown[]
  readonly instructions?: string
  readonly asked: Pick<Chat, 'question' | 'protocol'>
}

function questionAlone(question: unknown): Pick<Said, 'asked'> {
  const facts = { param: 'question' }
  if (question === undefined)
    throw new RagGateError('question_required', 'There are no messages', { param: 'messages' })
  if (typeof question !== 'string') throw new RagGateError('question_type', 'question must be a string', facts)
  return { asked: { question, protocol: 'json' } }
}

function readMessages(messages: unknown): Said {
  if (!Array.isArray(messages)) throw wrongMessages('messages must be a list')
  const read = messages.map(readMessage)
  const last = read.at(-1)
  if (last?.role !== 'user') {
    throw new RagGateError('question_required', "The last message must be the user's", { param: 'messages' })
  }
  if (last.hasOthers) throw wrongMessages('The question may hold text alone: no images, no files')
  const instructions = read.filter(({ role }) => role === 'system').map(({ content }) => content)
  const turns = read
    .slice(0, -1)
    .flatMap(({ role, content }) =>
      (role === 'user' || role === 'assistant') && content.trim() !== '' ? [{ role, content }] : [],
    )
  const protocol = read.some(({ isUiMessage }) => isUiMessage) ? 'ui-messages' : 'openai'
  return {
    turns,
    others: read.map(({ role, content, others }, at) => [role, others, at < read.length - 1 && content]),
    instructions: instructions.join('\n\n'),
    asked: { question: last.content, protocol },
  }
}

interface ReadMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  /** Whether it has parts that are not text, `data-*` parts aside. */
  readonly hasOthers: boolean
  /** What a handler may read of it besides its text, without parts of the gate. */
  readonly others: readonly unknown[]
  readonly isUiMessage: boolean
}

const ROLES: Readonly<Record<string, ReadMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
}

/** The text omits tool calls and their results: answers are based on the evidence. */
function readMessage(message: unknown): ReadMessage {
  const given = isRecord(message) ? message : {}
  const { role: named, id: _id, metadata: _about, createdAt: _time, ...members } = given
  const role = typeof named === 'string' && Object.hasOwn(ROLES, named) ? ROLES[named]! : undefined
  if (role === undefined) throw wrongMessages(`Each message needs a role: ${Object.keys(ROLES).join(', ')}`)
  const isUiMessage = Array.isArray(members['parts'])
  // The stream helper of OpenAI's client leaves a refusal with a content of ''.
  const from = isUiMessage ? 'parts' : members['content'] || !members['refusal'] ? 'content' : 'refusal'
  const { [from]: text, ...more } = members
  const said = text ?? ''
  const read = { role, isUiMessage, others: [more] }
  if (typeof said === 'string') return { ...read, content: said, hasOthers: false }
  if (!Array.isArray(said)) throw wrongMessages('The content of a message must be a string or a list of parts')
  const pieces = said.map((part: unknown) => (isRecord(part) ? part : {}))
  const texts = pieces.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
  const others = pieces.filter(({ type }) => !/^(?:text|step-start|source-.*|data-rag-gate)$/.test(String(type)))
  const hasOthers = others.some(({ type }) => !String(type).startsWith('data-'))
  return { ...read, content: texts.join('\n'), hasOthers, others: [more, ...others] }
}

function wrongMessages(message: string): RagGateError {
  return new RagGateError('question_type', message, { param: 'messages' })
}

/** The newest turns that fit, beginning with a user turn. */
function newestTurns(turns: readonly ChatTurn[], maxLength: number): readonly ChatTurn[] {
  let left = maxLength
  let from = turns.length
  while (from > 0 && (left -= turns[from - 1]!.content.length) >= 0) from--
  const kept = turns.slice(from)
  const first = kept.findIndex(({ role }) => role === 'user')
  return first < 0 ? [] : kept.slice(first)
}

function ownMember(own: unknown): Pick<Chat, 'collection' | 'refuseAs'> {
  if ((own ?? undefined) === undefined) return {}
  const facts = { param: 'rag_gate' }
  const { collection, refuse_as: refuseAs, ...others } = isRecord(own) ? own : { nothing: true }
  const isKnown = refuseAs === undefined || REFUSE_AS.includes(refuseAs)
  if (Object.keys(others).length > 0 || !isKnown || !['undefined', 'string'].includes(typeof collection)) {
    const message = 'rag_gate may have collection, and refuse_as: content, refusal or error'
    throw new RagGateError('unknown_field', message, facts)
  }
  return {
    ...(collection === undefined ? {} : { collection: collection as string }),
    // Checked above.
    ...(refuseAs === undefined ? {} : { refuseAs: refuseAs as RefuseAs }),
  }
}
