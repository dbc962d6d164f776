import { memberAt } from 'hono-rag-gate/core/lib'

/** The first choice of a chat completion or of a chunk of one; `undefined` where it has none. */
export function firstChoice(completion: unknown): unknown {
  const choices = memberAt(completion, 'choices')
  return Array.isArray(choices) ? choices[0] : undefined
}
