/** Checks names of query parameters; unknown ones are rejected. */
import type { Context } from 'hono'
import { RagGateError } from 'hono-rag-gate/errors'

/**
 * @param allowed names of parameters
 * @param always further allowed names
 * @param lists names that may be given several times
 * @throws `unknown_field` for any other name, or another one given twice
 */
export function checkNames(
  c: Context,
  allowed: readonly string[],
  always: readonly string[] = ['tenant'],
  lists: readonly string[] = [],
): void {
  for (const [name, values] of Object.entries(c.req.queries())) {
    const known = [...allowed, ...always, ...lists]
    if (!known.includes(name)) {
      throw new RagGateError('unknown_field', `There is no such parameter; known are: ${known.join(', ') || 'none'}`)
    }
    if (values.length > 1 && !lists.includes(name))
      throw new RagGateError('unknown_field', `${name} is given twice`, { param: name })
  }
}
