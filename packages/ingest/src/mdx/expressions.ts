/** Finds the ends of expressions in MDX, and reads their text. */
import { unescaped } from './object-texts.ts'
import { nextOf, UNENDED_REACH } from './positions.ts'

/** Maximum distance, characters, to look for the end of an expression: tables and code are written as one. */
const MAX_EXPRESSION = 200_000
/** Number of unclosed expressions after which the search distance is reduced to `UNENDED_REACH`. */
const MAX_UNENDED = 25

/** Gives the end of an expression from its opening brace; `undefined` if it is unclosed. */
export type EndOf = (from: number) => number | undefined

export function expressionsOf(text: string): EndOf {
  const closes = nextOf(text, '}')
  const commentEnds = nextOf(text, '*/')
  let unended = 0
  return (from) => {
    // A comment may be as long as what it takes out of use.
    const comment = text.startsWith('{/*', from) ? commentEnds(from + 3) + 2 : Infinity
    if (text[comment] === '}') return comment + 1
    const limit = Math.min(text.length, from + (unended < MAX_UNENDED ? MAX_EXPRESSION : UNENDED_REACH))
    if (closes(from) >= limit) return undefined
    const end = endOfBraces(text, from, limit)
    if (end === undefined) unended++
    return end
  }
}

/** Skips braces in strings, templates and comments. */
function endOfBraces(text: string, from: number, limit: number): number | undefined {
  let depth = 0
  for (let at = from; at < limit; at++) {
    const character = text[at]
    if (character === '{') depth++
    else if (character === '}') {
      if (--depth === 0) return at + 1
    } else if (isQuote(text, at)) {
      // An apostrophe in prose does not start a string.
      at = (endOfString(text, at, limit) ?? at + 1) - 1
    } else if (character === '/' && text[at + 1] === '*') {
      const end = text.slice(at + 2, limit).indexOf('*/')
      if (end === -1) return undefined
      at += end + 3
    }
  }
  return undefined
}

/** Whether a string may start here. An escaped quote does not: it would be followed to the end of the line in vain, as others before. */
export function isQuote(text: string, at: number): boolean {
  const character = text[at]
  return (character === '"' || character === "'" || character === '`') && text[at - 1] !== '\\'
}

/** The end of a string; `undefined` if it is not closed, in its line unless it is a template. */
export function endOfString(text: string, from: number, limit: number): number | undefined {
  const quote = text[from]
  for (let at = from + 1; at < limit; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return at + 1
    else if (text[at] === '\n' && quote !== '`') return undefined
  }
  return undefined
}

export const STRING = /(?<!\\)(?:'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*"|`(?:\\[^]|[^`\\])*`)/g

/** The members of a list of nothing but strings; none of any other expression. */
export function stringsOf(expression: string): string[] {
  if (!/^\s*\[[\s,]*\]\s*$/.test(expression.replaceAll(STRING, ''))) return []
  return [...expression.matchAll(STRING)].map(([string]) => textOf(string))
}

/** A string, template or number. */
const LITERAL = /^\s*(?:(["'])((?:\\[^]|(?!\1)[^\\])*)\1|`((?:\\[^]|[^\\`])*)`|(-?\d[\d._]*))\s*$/

/** The text of an expression that is a literal, such as `{" "}`; '' for any other. */
export function textOf(expression: string): string {
  const [, , quoted, template = quoted, number = ''] = LITERAL.exec(expression) ?? []
  if (template === undefined) return number.replaceAll('_', '')
  const text = unescaped(template)
  // Nothing but what a template inserts is no text.
  return text.trim() === '' && template.includes('${') ? '' : text
}
