/** `DELETE /v1/subjects/{id}`: erases the recorded data of a principal. */
import type { ConsoleContext } from './context.ts'
import { requireAdmin } from './require-admin.ts'
import { ConsoleError } from '../errors.ts'
import { readTenant } from './parameters.ts'
import { json, onTheWire } from './wire.ts'

/** Ids of OpenID Connect have up to 255. */
const MAX_CHARACTERS = 500

/** Responds with what was erased; with 202 if there is so much that the cron trigger continues. */
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
