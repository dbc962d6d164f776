/** Finds what the code of an expression in MDX displays: elements, and strings that it chooses or lists. */
import { endOfString, type EndOf, expressionsOf, isQuote, STRING, stringsOf, textOf } from './expressions.ts'
import { textsOfObjects } from './object-texts.ts'
import { Tags, VOID } from './tags.ts'

/** A part of what an expression displays. */
export type Shown =
  | { readonly text: string }
  /** MDX of an element. `repeated`: it is displayed for each member of a list. */
  | { readonly element: string; readonly repeated: boolean }

/** After these an element or a chosen string begins. */
const BEFORE_ELEMENT = /(?:^|[(,?:&|[{;]|=>|\breturn)\s*$/
const REPEATS = /\.\s*(?:flatMap|map)\s*\(/
/** Before a string that is chosen, and after it. */
const CHOICE_BEFORE = /(?:\?\??|:|&&|\|\|)\s*$/
const CHOICE_AFTER = /^\s*(?::|\?\?|\|\||$)/

/** What an expression displays, in its order; empty for computed values. */
export function shownBy(expression: string): Shown[] {
  const text = textOf(expression)
  if (text !== '') return [{ text }]
  const { elements, rest } = elementsIn(expression)
  const repeated = REPEATS.test(rest)
  const shown = elements.map((element) => ({ element, repeated }))
  if (repeated) return [...listed(rest), ...shown]
  return shown.length > 0 ? shown : chosen(rest)
}

/** The members of a list that is written in the expression. */
function listed(code: string): Shown[] {
  const items = stringsOf(code.slice(0, code.search(REPEATS))).map((string) => `- ${string.replaceAll(/\s+/g, ' ')}`)
  const list = items.length > 0 ? items.join('\n') : textsOfObjects(code)
  return list === '' ? [] : [{ text: `\n\n${list}\n\n` }]
}

/** The strings of which a condition displays one. */
function chosen(code: string): Shown[] {
  const strings = [...code.matchAll(STRING)].filter(
    ({ 0: string, index }) =>
      CHOICE_BEFORE.test(code.slice(Math.max(0, index - 20), index)) &&
      CHOICE_AFTER.test(code.slice(index + string.length, index + string.length + 20)),
  )
  if (/[{([]/.test(code.replaceAll(STRING, ''))) return []
  return [
    {
      text: strings
        .map(([string]) => textOf(string))
        .filter(Boolean)
        .join(' / '),
    },
  ]
}

/** The outermost elements in code, and the code without them and without comments. */
function elementsIn(code: string): { readonly elements: string[]; readonly rest: string } {
  const elements: string[] = []
  const endOfExpression = expressionsOf(code)
  const tags = new Tags(code, endOfExpression)
  let rest = ''
  let from = 0
  const leaveOut = (start: number, end: number): void => {
    rest += `${code.slice(from, start)} `
    from = end
  }
  for (let at = 0; at < code.length; at = Math.max(at + 1, from)) {
    if (isQuote(code, at)) {
      at = (endOfString(code, at, code.length) ?? at + 1) - 1
    } else if (code.startsWith('/*', at)) leaveOut(at, endOfComment(code, at))
    else if (code[at] === '<' && BEFORE_ELEMENT.test(code.slice(Math.max(0, at - 20), at))) {
      const end = endOfElement(code, at, tags, endOfExpression)
      // Every other start would be looked at up to the end too.
      if (end === undefined) break
      elements.push(code.slice(at, end))
      leaveOut(at, end)
    }
  }
  return { elements, rest: rest + code.slice(from) }
}

function endOfComment(code: string, at: number): number {
  const end = code.indexOf('*/', at + 2)
  return end === -1 ? code.length : end + 2
}

const MARK = /[<{]/g

function endOfElement(code: string, start: number, tags: Tags, endOfExpression: EndOf): number | undefined {
  let depth = 0
  const marks = new RegExp(MARK)
  marks.lastIndex = start
  for (let mark = marks.exec(code); mark !== null; mark = marks.exec(code)) {
    if (mark[0] === '{') {
      marks.lastIndex = endOfExpression(mark.index) ?? mark.index + 1
      continue
    }
    const tag = tags.at(mark.index)
    if (tag === undefined) {
      if (depth === 0) return undefined
      continue
    }
    if (tag.kind === 'closing') depth--
    else if (tag.kind === 'opening' && !VOID.has(tag.name)) depth++
    if (depth <= 0) return tag.end
    marks.lastIndex = tag.end
  }
  return undefined
}
