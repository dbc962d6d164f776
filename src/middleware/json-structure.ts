/** Checks JSON before it is parsed: nesting depth and duplicate members. */
import { RagGateError } from '../errors.ts'

/** Deeper bodies could overflow the stack of recursive parsers. */
const MAX_DEPTH = 32

/** What opens, closes and separates; an escape, because its character does not end a string. */
const TOKEN = /\\[^]|["{}[\],]/g

/**
 * Rejects JSON that is nested too deeply, or has duplicate members (compared after resolving escapes), because parsers
 * differ on which of them wins. Takes linear time.
 *
 * @throws `too_deep`, `invalid_json`; the error of `JSON.parse` for a name that is not a JSON string
 */
export function requirePlainStructure(json: string): void {
  /** Names seen in each open object; undefined for an open list. */
  const open: (Set<string> | undefined)[] = []
  /** Those of the object in which a name may follow. */
  let names: Set<string> | undefined
  /** Where the string that is read begins. */
  let start: number | undefined
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (start !== undefined) {
      if (token !== '"') continue
      if (names) {
        // A string of JSON.
        const name = JSON.parse(json.slice(start, index + 1)) as string
        if (names.has(name)) throw new RagGateError('invalid_json', 'An object has the same key twice')
        names.add(name)
      }
      names = start = undefined
    } else if (token === '"') start = index
    else if (token === '{' || token === '[') {
      names = token === '{' ? new Set() : undefined
      if (open.push(names) > MAX_DEPTH) {
        throw new RagGateError('too_deep', `The body may nest at most ${MAX_DEPTH} levels`)
      }
    } else if (token === ',') names = open.at(-1)
    else open.pop()
  }
}
