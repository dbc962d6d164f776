/** What is looked for in JSON before it is parsed: depth, and members that stand twice. */
import { RagGateError } from '../errors.ts'

/** Deeper bodies could overflow the stack of recursive readers. */
const MAX_DEPTH = 32

/**
 * Refuses JSON that nests too deeply, or that names a member of an object twice, escapes resolved: readers differ on which
 * of the two counts, so neither can be meant. Time rises with the length alone.
 *
 * @throws `too_deep`, `invalid_json`; the error of `JSON.parse` for a name that is no string of JSON
 */
export function requirePlainStructure(json: string): void {
  /** Names seen in each object that is open; undefined for a list. */
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
          if (names.has(name)) throw new RagGateError('invalid_json', 'A member stands twice in an object')
          names.add(name)
        }
        nameMayFollow = false
        at = end - 1
        break
      }
    }
  }
}

/** Behind the closing quote. */
function endOfString(json: string, from: number): number {
  let at = from + 1
  for (; at < json.length && json.charAt(at) !== '"'; at++) if (json.charAt(at) === '\\') at++
  return at + 1
}

function nameOf(written: string): string {
  // A string of JSON.
  return written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)
}
