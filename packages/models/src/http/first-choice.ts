import { memberAt } from 'hono-rag-gate/core/lib'

/** The first choice of a chat completion or chunk; `undefined` if there is none. */
export function firstChoice(completion: unknown): unknown {
  const choices = memberAt(completion, 'choices')
  return Array.isArray(choices) ? choices[0] : undefined
}
