/** Requests to the ready Worker inside workerd, with what it leaves for after the response. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import worker from '../workers/gate/index.ts'

/** Headers of whoever deployed it. */
export const ADMIN = { authorization: `Bearer ${env.ADMIN_TOKEN}` }

/** Sends a request, and waits a moment for the work behind the response: some of it waits longer than a test should. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const context = createExecutionContext()
  const response = await worker.fetch(new Request(`https://gate.test${path}`, init), env, context)
  await Promise.race([waitOnExecutionContext(context), scheduler.wait(100)])
  return response
}

/** Sends JSON. */
export function post(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  method = 'POST',
): Promise<Response> {
  const init = { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
  return send(path, init)
}
