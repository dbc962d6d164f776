/** Answers of a route in the protocol that its client speaks. */
import type { MiddlewareHandler } from 'hono'
import { type ChatProtocolOptions, protocolWith } from './openai-protocol.ts'
import { MESSAGES } from './ui-protocol.ts'

/**
 * Makes the middleware that answers refusals, advisories and citations in the client's protocol. Mount it before the gate:
 *
 * ```ts
 * app.post('/chat', chatProtocol(), ragGate({ policy, dependencies, question: { read: readChat } }), handler)
 * ```
 *
 * The handler may answer JSON with a member `answer`, or a chat completion, whole or in chunks. OpenAI clients get a
 * completion or its chunks, `useChat` a UI message stream, others JSON; verdict and citations come before the first word. A
 * UI message stream of the handler is for `useChat` alone: others get it as it is.
 *
 * @throws `config_invalid` for options that are not these
 */
export function chatProtocol(options: ChatProtocolOptions = {}): MiddlewareHandler {
  return protocolWith(options, MESSAGES)
}
