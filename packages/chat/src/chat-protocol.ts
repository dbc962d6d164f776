/** Answers of a route in the protocol of its client. */
import type { MiddlewareHandler } from 'hono'
import { type ChatProtocolOptions, protocolWith } from './openai-protocol.ts'
import { MESSAGES } from './ui-protocol.ts'

/**
 * Makes middleware that sends answers, refusals and citations in the client's protocol. Mount it before the gate:
 *
 * ```ts
 * app.post('/chat', chatProtocol(), ragGate({ policy, dependencies, question: { read: readChat } }), handler)
 * ```
 *
 * The handler may return JSON with a member `answer` and the tokens as OpenAI's `usage`, or a chat completion, whole or in
 * chunks. OpenAI clients get a completion or its chunks, `useChat` a UI message stream, others JSON; verdict and citations come before the text. A
 * handler's UI message stream is converted for `useChat` alone: other clients get it unchanged.
 *
 * @throws `config_invalid` for unknown or invalid options
 */
export function chatProtocol(options: ChatProtocolOptions = {}): MiddlewareHandler {
  return protocolWith(options, MESSAGES)
}
