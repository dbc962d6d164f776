/** The field `Cache-Control`, read by its grammar. */

/** Directives by name in lower case, with their values as they came; '' for none. */
export type CacheDirectives = ReadonlyMap<string, readonly string[]>

/**
 * A list member: a token, optionally with a value that is a token or a quoted string; empty members are ignored. Blanks match
 * in only one way, so that matching takes linear time.
 */
const MEMBER =
  /[ \t]*(?:([!#$%&'*+.^_`|~\dA-Za-z-]+)(?:[ \t]*=[ \t]*(?:([!#$%&'*+.^_`|~\dA-Za-z-]+)|"((?:[^"\\]|\\.)*)"))?[ \t]*)?(?:,|$)/y

/**
 * Reads the directives of a `Cache-Control` field.
 *
 * @returns `undefined` when the field does not follow the grammar, so that its meaning is unknown
 * @see RFC 9111, section 5.2
 */
export function cacheDirectives(field: string): Map<string, string[]> | undefined {
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
 * The seconds of a directive, the fewest if it occurs more than once.
 *
 * @returns `undefined` when the directive is absent; `NaN` when one of its values is not a whole number
 */
export function directiveSeconds(directives: CacheDirectives, name: string): number | undefined {
  const values = directives.get(name)
  if (values === undefined) return undefined
  return values.reduce((least, value) => Math.min(least, /^\d+$/.test(value) ? Number(value) : NaN), Infinity)
}

/** A member of a structured-field dictionary: a key, an optional value, and parameters, which are ignored. */
const ITEM = String.raw`(?:-?\d{1,12}\.\d{1,3}|-?\d{1,15}|"(?:[ !#-\[\]-~]|\\["\\])*"|[A-Za-z*][!#$%&'*+.^_\`|~\dA-Za-z:/-]*|:[A-Za-z\d+/=]*:|\?[01])`
const KEY = String.raw`[a-z*][a-z\d_.*-]*`
const TARGETED = new RegExp(String.raw`[ \t]*(${KEY})(?:=(${ITEM}))?(?:; *${KEY}(?:=${ITEM})?)*[ \t]*(?:(,)|$)`, 'y')

/**
 * Reads the directives of a targeted field, such as `CDN-Cache-Control`.
 *
 * @returns `undefined` when the field is empty or not a structured-field dictionary; it is then ignored
 * @see RFC 9213, section 2.1; RFC 9651, section 3.2
 */
export function targetedDirectives(field: string): CacheDirectives | undefined {
  const directives = new Map<string, readonly string[]>()
  let more = true
  for (let at = 0; more; at = TARGETED.lastIndex) {
    TARGETED.lastIndex = at
    const member = TARGETED.exec(field)
    if (member === null) return undefined
    const [, name = '', value = '?1', comma] = member
    // The last of duplicate keys counts.
    if (value === '?0') directives.delete(name)
    else directives.set(name, [value === '?1' ? '' : value])
    more = comma !== undefined
  }
  return directives
}
