/** The gates of `/ask` and the chat, with the deployment's settings. */
import { readChat } from '@hono-rag-gate/chat'
import type { MiddlewareHandler } from 'hono'
import { ragGate, type RagGateEnv, type RagGateOptions } from 'hono-rag-gate'
import { oncePer } from 'hono-rag-gate/core/lib'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { MESSAGES, readMessages } from './messages.ts'

type Gate = MiddlewareHandler<RagGateEnv<GateBindings>>

type Question = NonNullable<RagGateOptions['question']>

/** Judges the question before `answer` runs. */
export const gate: Gate = gateOf({})

/** The same for a chat, before `answerChat` runs. */
export const chatGate: Gate = gateOf({ field: 'messages', read: (c) => readChat(c) })

function gateOf(question: Question): Gate {
  const gateWith = oncePer((env: GateBindings) => gateFor(env, question))
  return async function gate(c, next) {
    const made = gateWith(c.env)
    await readMessages(c.req.raw, c.env.ASSETS)
    return made(c, next)
  }
}

/** Made once per bindings object, like the composition. */
function gateFor(env: GateBindings, question: Question): Gate {
  const { gate: dependencies, judging, answer } = compositionFor(env)
  return ragGate<GateBindings>({
    ...judging,
    dependencies: () => dependencies,
    mode: env.GATE_MODE === 'observe' ? 'observe' : 'enforce',
    question: { collections: 'any', ...question },
    answer,
    closestPassages: 3,
    messages: MESSAGES,
  })
}
