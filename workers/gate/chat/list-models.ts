/** `GET /v1/models`: the one model that answers here. */
import type { Context } from 'hono'
import { RagGateError } from 'hono-rag-gate/errors'
import { SEARCH } from '../ask/search-answer.ts'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'

/** Its name, in OpenAI's form, for those who may ask it. @throws `unauthorized` */
export async function listModels(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const principal = await compositionFor(c.env).authenticate(c.req.raw)
  if (principal?.scopes.includes('ask') !== true) throw new RagGateError('unauthorized', 'A bearer token is needed')
  return c.json({
    object: 'list',
    data: [{ id: modelName(c.env), object: 'model', created: 0, owned_by: 'hono-rag-gate' }],
  })
}

/** Name of the model that is configured; `search` without one. */
export function modelName(env: GateBindings): string {
  return compositionFor(env).generator?.model ?? SEARCH
}
