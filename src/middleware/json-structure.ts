/** Checks JSON before it is parsed: nesting depth and duplicate members. */
import { RagGateError } from '../errors.ts'

/** Deeper bodies could overflow the stack of recursive parsers. */
const MAX_DEPTH = 32

/**
 * Rejects JSON that is nested too deeply, or has duplicate members (compared after resolving escapes), because parsers
 * differ on which of them wins. Takes linear time.
 *
 * @throws `too_deep`, `invalid_json`; the error of `JSON.parse` for a name that is not a JSON string
 */
export function requirePlainStructure(json: string): void {
  /** Names seen in each open object; undefined for an open list. */
  const open: (Set<string> | undefined)[] = []
  let nameMayFollow = false
  for (let at = 0; at < json.length; at++) {
    switch (json.charAt(at)) {
      case '{':
      case '[':
        nameMayFollow = json.charAt(at) === '{'
        if (open.push(nameMayFollow ? new Set() : undefined) > MAX_DEPTH) {
          throw new RagGateError('too_deep', `The body may nest at most ${MAX_DEPTH} levels`)
        }
        break
      case '}':
      case ']':
        open.pop()
        break
      case ',':
        nameMayFollow = open.at(-1) !== undefined
        break
      case '"': {
        const end = endOfString(json, at)
        const names = nameMayFollow ? open.at(-1) : undefined
        if (names !== undefined) {
          const name = nameOf(json.slice(at, end))
          if (names.has(name)) throw new RagGateError('invalid_json', 'An object has the same key twice')
          names.add(name)
        }
        nameMayFollow = false
        at = end - 1
        break
      }
    }
  }
}

/** Index after the closing quote. */
function endOfString(json: string, from: number): number {
  let at = from + 1
  for (; at < json.length && json.charAt(at) !== '"'; at++) if (json.charAt(at) === '\\') at++
  return at + 1
}

function nameOf(written: string): string {
  // A string of JSON.
  return written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)
}
