/** `POST /v1/chat/completions`: the handler behind the gate. The form of a completion is put on by `openAiProtocol`. */
import { readChat } from '@hono-rag-gate/chat'
import type { Context } from 'hono'
import type { RagGateEnv } from 'hono-rag-gate'
import { answerAs } from '../ask/answer.ts'
import type { GateBindings } from '../bindings.ts'
import { samplingOf } from './completion-request.ts'

/** Answers from the evidence, as `/ask` does, with what was said before. @throws what `answer` throws */
export async function answerChat(c: Context<RagGateEnv<GateBindings>>): Promise<Response> {
  const chat = await readChat(c)
  const { history, instructions } = chat
  const asked = { history, sampling: samplingOf(chat), ...(instructions === undefined ? {} : { instructions }) }
  return answerAs(c, { asked, searchText })
}

/** The passages themselves: a chat shows nothing beside its text. */
const searchText = (passages: readonly { readonly text: string }[]): string =>
  passages.map(({ text }, at) => `[${at + 1}] ${text}`).join('\n\n')
