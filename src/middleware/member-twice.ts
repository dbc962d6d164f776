/** Whether JSON names a member of an object twice: readers differ on which of them counts, so neither can be meant. */

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Looks at the names of members on every level, escapes resolved. Time rises with the length alone.
 *
 * @param json well-formed
 */
export function hasMemberTwice(json: string): boolean {
  /** Names seen in each object that is open; undefined for a list. */
  const open: (Set<string> | undefined)[] = []
  let nameMayFollow = false
  for (let at = 0; at < json.length; at++) {
    switch (json.charAt(at)) {
      case '{':
        open.push(new Set())
        nameMayFollow = true
        break
      case '[':
        open.push(undefined)
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
          if (names.has(name)) return true
          names.add(name)
        }
        nameMayFollow = false
        at = end - 1
        break
      }
    }
  }
  return false
}

/** Behind the closing quote. */
function endOfString(json: string, from: number): number {
  let at = from + 1
  for (; at < json.length && json.charCodeAt(at) !== QUOTE; at++) if (json.charCodeAt(at) === BACKSLASH) at++
  return at + 1
}

function nameOf(written: string): string {
  // A string of JSON.
  return written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)
}
