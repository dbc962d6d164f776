/** Links of Markdown: where they point is passed over, and what they are defined as is known by its label. */

const LABEL = /\[(?!\s*\])((?:[^\\[\]]|\\[\s\S]){1,999})\]/y
const SPACE = /[ \t\n]*/y
const SPACE_OVER_A_LINE = /[ \t]*(?:\n[ \t]*)?/y
const ENCLOSED_DESTINATION = /<[^<>\n\\]*(?:\\.[^<>\n\\]*)*>/y
const BARE_CHARACTERS = /(?:[^\p{Cc} ()\\]|\\[!-/:-@[-`{-~]|\\)*/uy
const TITLE = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|'[^'\\]*(?:\\[\s\S][^'\\]*)*'|\([^()\\]*(?:\\[\s\S][^()\\]*)*\)/y
const REST_OF_LINE = /[ \t]*(?:\n|$)/y

/** Brackets that an address may have within another. */
const MOST_BRACKETS = 32

/** Where a pattern that begins at a place ends; undefined where it does not begin there. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** What labels are compared by. */
export function labelKey(label: string): string {
  return label.trim().replaceAll(/\s+/g, ' ').toLowerCase().toUpperCase()
}

/** The label in brackets at a place, and where it ends. */
export function labelAt(text: string, at: number): { readonly key: string; readonly end: number } | undefined {
  LABEL.lastIndex = at
  const label = LABEL.exec(text)?.[1]
  return label === undefined ? undefined : { key: labelKey(label), end: LABEL.lastIndex }
}

/**
 * The definitions that a paragraph begins with.
 *
 * @param labels where their labels are added
 * @returns where they end
 */
export function definitionsEnd(paragraph: string, labels: Set<string>): number {
  for (let at = 0; ;) {
    const label = labelAt(paragraph, at)
    if (label === undefined || paragraph[label.end] !== ':') return at
    const end = definitionEnd(paragraph, label.end + 1)
    if (end === undefined) return at
    labels.add(label.key)
    at = end
  }
}

/** @param at behind the colon */
function definitionEnd(text: string, at: number): number | undefined {
  const start = endOf(SPACE_OVER_A_LINE, text, at)!
  const destination = destinationEnd(text, start)
  if (destination === undefined || destination === start) return undefined
  const before = endOf(SPACE_OVER_A_LINE, text, destination)!
  const title = before === destination ? undefined : endOf(TITLE, text, before)
  return (title === undefined ? undefined : endOf(REST_OF_LINE, text, title)) ?? endOf(REST_OF_LINE, text, destination)
}

/** Where an address with its title ends, in brackets behind the text of a link: `(b.html "Title")`. */
export function targetEnd(text: string, at: number): number | undefined {
  if (text[at] !== '(') return undefined
  const destination = destinationEnd(text, endOf(SPACE, text, at + 1)!)
  if (destination === undefined) return undefined
  const before = endOf(SPACE, text, destination)!
  const title = before === destination ? undefined : endOf(TITLE, text, before)
  const end = title === undefined ? before : endOf(SPACE, text, title)!
  return text[end] === ')' ? end + 1 : undefined
}

/** A bare address may be empty, and has as many brackets closed as opened. */
function destinationEnd(text: string, start: number): number | undefined {
  if (text[start] === '<') return endOf(ENCLOSED_DESTINATION, text, start)
  let open = 0
  for (let at = start; ; at++) {
    at = endOf(BARE_CHARACTERS, text, at)!
    if (text[at] === '(') open++
    else if (text[at] !== ')' || open === 0) return open === 0 ? at : undefined
    else open--
    if (open > MOST_BRACKETS) return undefined
  }
}
