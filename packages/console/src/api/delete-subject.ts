/** `DELETE /v1/subjects/{id}`: erases what the statistics hold of a principal. */
import type { ConsoleContext } from './context.ts'
import { requireAdmin } from './require-admin.ts'
import { ConsoleError } from '../errors.ts'
import { readTenant } from './parameters.ts'
import { json, onTheWire } from './wire.ts'

/** An id of OpenID Connect has 255. */
const MAX_CHARACTERS = 500

/** Answers with what was erased; 202 when there is so much that the cron trigger carries on with it. */
export async function deleteSubject(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c)
  const tenant = readTenant(c, principal)
  const subject = c.req.param('id') ?? ''
  if (subject === '' || subject.length > MAX_CHARACTERS) {
    throw new ConsoleError('filter', `A subject has 1 to ${MAX_CHARACTERS} characters`, { param: 'id' })
  }
  await parts.flush()
  const { finished, ...erased } = await parts.erasures.erase(tenant, subject)
  return json(c, { subject, finished, erased: onTheWire(erased) }, finished ? 200 : 202)
}
