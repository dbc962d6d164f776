import type { Principal } from 'hono-rag-gate/ports'
import type { ConsoleParts } from '../parts.ts'
import { checkNames } from './check-names.ts'
import type { ConsoleContext } from './context.ts'
import { requireScope } from './require-scope.ts'

/**
 * Requires the scope `admin`, and rejects parameters other than those named.
 *
 * @throws as `requireScope` and `checkNames` do
 */
export async function requireAdmin(
  c: ConsoleContext,
  names: readonly string[] = [],
): Promise<{ readonly parts: ConsoleParts; readonly principal: Principal }> {
  const { ragGateConsole: parts } = c.var
  const principal = await requireScope(parts, c.req.raw, 'admin')
  checkNames(c, names)
  return { parts, principal }
}
