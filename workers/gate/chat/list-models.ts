/** `GET /v1/models` and `GET /v1/models/{id}`: the one available model. */
import type { Context } from 'hono'
import { identified } from 'hono-rag-gate/middleware'
import { SEARCH } from '../ask/search-answer.ts'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { WorkerError } from '../errors.ts'

/** Deadline of the key lookup, milliseconds. */
const IDENTIFY_TIMEOUT_MS = 3000

/**
 * The model in OpenAI's format, for callers who may ask: in a list, or by its name.
 *
 * @throws `unauthorized`, `forbidden`, `store_unavailable`, `model_not_found`
 */
export async function listModels(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  await identified(compositionFor(c.env).authenticate, c.req.raw, IDENTIFY_TIMEOUT_MS)
  const model = { id: modelName(c.env), object: 'model', created: 0, owned_by: 'hono-rag-gate' }
  const asked = c.req.param('id')
  if (asked === undefined) return c.json({ object: 'list', data: [model] })
  requireModel(c.env, asked, 'id')
  return c.json(model)
}

/** @throws `model_not_found` for any other model */
export function requireModel(env: GateBindings, asked: unknown, param: string): void {
  if (asked === modelName(env)) return
  throw new WorkerError('model_not_found', 'There is no such model: see GET /v1/models', { param })
}

/** Name of the configured model; `search` without one. */
export function modelName(env: GateBindings): string {
  return compositionFor(env).generator?.model ?? SEARCH
}
