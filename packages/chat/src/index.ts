/** Chat protocols for the gate. */
export { chatProtocol } from './chat-protocol.ts'
export type { ChatProtocolOptions } from './openai-protocol.ts'
export { type Chat, type ChatTurn, readChat, type ReadChatOptions, type RefuseAs } from './conversation.ts'
export { type AnswerPiece, uiMessageStream } from './ui-message-stream.ts'
