/** `DELETE /v1/subjects/{id}`: erases what the statistics hold of a principal. */
import type { Context } from 'hono'
import { requireScope } from '../access.ts'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { WorkerError } from '../errors.ts'
import { checkNames, readTenant } from './parameters.ts'
import { json, onTheWire } from './wire.ts'

const MAX_CHARACTERS = 200

/** Answers with what was erased; 202 when there is so much that the cron trigger carries on with it. */
export async function deleteSubject(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  checkNames(c, [])
  const tenant = readTenant(c, principal)
  const subject = c.req.param('id') ?? ''
  if (subject === '' || subject.length > MAX_CHARACTERS) {
    throw new WorkerError('filter', `A subject has 1 to ${MAX_CHARACTERS} characters`, { param: 'id' })
  }
  await composition.log.flush()
  const { finished, ...erased } = await composition.statistics.erasures.erase(tenant, subject)
  return json(c, { subject, finished, erased: onTheWire(erased) }, finished ? 200 : 202)
}
