/** Positions in a text. */

/** Finds the next occurrence of a mark; calls in ascending order take linear time in total. */
export type Next = (from: number) => number

export function nextOf(text: string, mark: string): Next {
  let asked = 0
  let found = text.indexOf(mark)
  return (from) => {
    if (from < asked || (found !== -1 && found < from)) found = text.indexOf(mark, (asked = from))
    return found === -1 ? Infinity : found
  }
}

export function lineAt(text: string, at: number): string {
  const end = text.indexOf('\n', at)
  return text.slice(at, end === -1 ? text.length : end)
}

/** Reduced distance, characters, to look for an end after one was not found. */
export const UNENDED_REACH = 500
