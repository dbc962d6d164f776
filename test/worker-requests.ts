/** Requests to the ready Worker inside workerd, with what it leaves for after the response. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { GateBindings } from '../workers/gate/bindings.ts'
import worker from '../workers/gate/index.ts'

/** Headers of the operator. */
export const ADMIN = { authorization: `Bearer ${env.ADMIN_TOKEN}` }

type Headers = Readonly<Record<string, string>>

/**
 * The Worker over these bindings, or another app. One object of bindings is one isolate: what was composed of it stays.
 */
export function workerOver(
  bindings: GateBindings,
  app: Pick<typeof worker, 'fetch'> = worker,
): {
  /** Sends a request, and waits a moment for the work behind the response: the buffer of decisions waits for more. */
  readonly send: (path: string, init?: RequestInit) => Promise<Response>
  /** Sends JSON; of `undefined`, no body. */
  readonly post: (path: string, body: unknown, headers?: Headers, method?: string) => Promise<Response>
} {
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const context = createExecutionContext()
    const response = await app.fetch(new Request(`https://gate.test${path}`, init), bindings, context)
    await Promise.race([waitOnExecutionContext(context), scheduler.wait(100)])
    return response
  }
  const post = (path: string, body: unknown, headers: Headers = {}, method = 'POST'): Promise<Response> =>
    send(path, { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
  return { send, post }
}

/** Bindings of the Worker that `send` and `post` ask: an isolate of its own for each test file. */
export let isolateBindings: GateBindings = { ...env }

/** Begins another isolate. */
export function beginIsolate(): void {
  isolateBindings = { ...env }
}

type Worker = ReturnType<typeof workerOver>
export const send: Worker['send'] = (...request) => workerOver(isolateBindings).send(...request)
export const post: Worker['post'] = (...request) => workerOver(isolateBindings).post(...request)
