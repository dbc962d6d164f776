/** `GET /v1/models`: the one model that answers here. */
import type { Context } from 'hono'
import { identified } from 'hono-rag-gate/middleware'
import { SEARCH } from '../ask/search-answer.ts'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'

/** How long the look-up of a key may take, milliseconds. */
const IDENTIFY_TIMEOUT_MS = 3000

/** Its name, in OpenAI's form, for those who may ask it. @throws `unauthorized`, `forbidden`, `store_unavailable` */
export async function listModels(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  await identified(compositionFor(c.env).authenticate, c.req.raw, IDENTIFY_TIMEOUT_MS)
  return c.json({
    object: 'list',
    data: [{ id: modelName(c.env), object: 'model', created: 0, owned_by: 'hono-rag-gate' }],
  })
}

/** Name of the model that is configured; `search` without one. */
export function modelName(env: GateBindings): string {
  return compositionFor(env).generator?.model ?? SEARCH
}
