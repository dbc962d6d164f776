/** The field `Cache-Control`, read by its grammar. */

/** Directives by name in lower case, with their values as they came; '' for none. */
export type CacheDirectives = ReadonlyMap<string, readonly string[]>

/** A list member: a token, and perhaps a value that is a token or a quoted string; empty members count for nothing. */
const MEMBER =
  /[ \t]*(?:([!#$%&'*+.^_`|~\dA-Za-z-]+)(?:[ \t]*=[ \t]*(?:([!#$%&'*+.^_`|~\dA-Za-z-]+)|"((?:[^"\\]|\\.)*)"))?)?[ \t]*(?:,|$)/y

/**
 * Reads the directives of a `Cache-Control` field.
 *
 * @returns `undefined` when the field does not follow the grammar: then nobody can say what was meant
 * @see RFC 9111, section 5.2
 */
export function cacheDirectives(field: string): CacheDirectives | undefined {
  const directives = new Map<string, string[]>()
  for (let at = 0; at < field.length; at = MEMBER.lastIndex) {
    MEMBER.lastIndex = at
    const member = MEMBER.exec(field)
    if (member === null) return undefined
    const [, name, token, quoted = ''] = member
    if (name === undefined) continue
    const key = name.toLowerCase()
    const values = directives.get(key) ?? []
    values.push(token ?? quoted.replaceAll(/\\(.)/gs, '$1'))
    directives.set(key, values)
  }
  return directives
}

/**
 * Seconds that a directive names, the fewest where it stands more than once.
 *
 * @returns `undefined` when the directive is absent; `NaN` when one of its values is not a whole number
 */
export function directiveSeconds(directives: CacheDirectives, name: string): number | undefined {
  const values = directives.get(name)
  if (values === undefined) return undefined
  return Math.min(...values.map((value) => (/^\d+$/.test(value) ? Number(value) : NaN)))
}
