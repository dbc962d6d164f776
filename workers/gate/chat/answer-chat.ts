/** `POST /v1/chat/completions`: the handler behind the gate. `openAiProtocol` formats the completion. */
import { readChat } from '@hono-rag-gate/chat'
import type { Context } from 'hono'
import type { RagGateEnv } from 'hono-rag-gate'
import { answerAs } from '../ask/answer.ts'
import type { GateBindings } from '../bindings.ts'
import { samplingOf } from './completion-request.ts'

/** Answers from the evidence like `/ask`, with the earlier messages. @throws as `answer` */
export async function answerChat(c: Context<RagGateEnv<GateBindings>>): Promise<Response> {
  const chat = await readChat(c)
  const { history, instructions } = chat
  const asked = { history, sampling: samplingOf(chat), ...(instructions === undefined ? {} : { instructions }) }
  return answerAs(c, { asked, searchText })
}

/** The passages as text, because a chat client shows nothing else. */
const searchText = (passages: readonly { readonly text: string }[]): string =>
  passages.map(({ text }, at) => `[${at + 1}] ${text}`).join('\n\n')
