/** Converts MDX to Markdown: text is kept, code is removed. */
import { textsOfObjects, unescaped } from './object-texts.ts'

const FENCE = /^[ \t]*(`{3,}|~{3,})/
const IMPORT = /^import\s+(?:type\s+)?(?:['"{*]|[\w$]+\s*,\s*[{*]|[\w$]+\s+from\s*(?:['"]|$))/
const EXPORT = /^export\s+(?:const|let|var|function|class|default|async|type|interface|\{|\*)/
const NAME = /[A-Za-z][\w.-]*/y
/** Maximum distance, characters, to look for the end of an expression or of inline code. */
const MAX_EXPRESSION = 4000
/** The same within a tag, where tables of parameters are written as one expression. */
const MAX_ATTRIBUTE = 200_000
/** Number of unclosed expressions after which the search distance is reduced to `UNENDED_REACH`. */
const MAX_UNENDED = 25
/** Attributes that are displayed as the title of a component. */
const TITLES = new Set(['title', 'label', 'heading', 'summary', 'caption'])
/** Attributes that are displayed as the text of a component. */
const TEXTS = new Set(['text', 'description', 'content'])
/** Attributes of components such as `ParamField` that name what is described. */
const FIELD_NAMES = new Set(['name', 'body', 'path', 'query', 'header'])
/** Inline elements: removing their tags does not split a word. */
const INLINE = new Set(
  'a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strong sub sup u var'.split(' '),
)

/** Characters with a meaning within a line. */
const MARK = /[\\`{<$\n]/g
/** Maths, whose braces are no expression: neither `${price}` nor `$5 to $6`. */
const MATHS = /\$\$[^]*?\$\$|\$(?![\s{])[^$\n]*[^\s$\\]\$(?![\d{])/y

/**
 * Removes imports, exports, comments, expressions and component tags from MDX, and keeps the enclosed text. The title
 * of a component (a tab, a step, a card) becomes a bold line, the texts of its attributes stay, and objects in them, such
 * as a table of parameters, become a list. Code is unchanged. Unclosed constructs are text. Takes
 * linear time.
 *
 * @see https://mdxjs.com/docs/what-is-mdx
 */
export function mdxToMarkdown(mdx: string): string {
  const text = mdx.replaceAll('\r\n', '\n')
  const open = new OpenTags(text)
  const paragraphEnds = nextOf(text, '\n\n')
  const programs = new Programs(text)
  const endOfExpression = expressionsOf(text)
  const tags = new Tags(text, endOfExpression)
  const marks = new RegExp(MARK)
  const out: string[] = []
  // The end of the output, kept separately: joining all of it for each look would be quadratic.
  let tail = ''
  const write = (piece: string): void => {
    out.push(piece)
    tail = (tail + piece.slice(-LOOK_BACK)).slice(-LOOK_BACK)
  }
  let at = 0
  while (at < text.length) {
    const atLineStart = at === 0 || text[at - 1] === '\n'
    if (atLineStart) {
      const end = programs.endAt(at)
      if (end > at) {
        at = end
        continue
      }
      at = skipIndent(text, at, open.innermost)
      const fence = FENCE.exec(lineAt(text, at))
      if (fence?.[1] !== undefined) {
        const [code, after] = fencedCode(text, at, fence[1], open.innermost)
        write(code)
        at = after
        continue
      }
    }
    const character = text[at] ?? ''
    if (character === '\\') {
      write(text.slice(at, at + 2))
      at += 2
    } else if (character === '`') {
      const end = endOfCode(text, at, paragraphEnds)
      write(text.slice(at, end))
      at = end
    } else if (character === '$') {
      MATHS.lastIndex = at
      const maths = MATHS.exec(text)?.[0] ?? character
      write(maths)
      at += maths.length
    } else if (character === '{') {
      const end = endOfExpression(at)
      write(end === undefined ? character : textOf(text.slice(at + 1, end - 1)))
      at = end ?? at + 1
    } else if (character === '<') {
      const tag = tags.at(at)
      write(tag === undefined ? character : inPlaceOf(tag, tail, open, text))
      at = tag?.end ?? at + 1
    } else {
      marks.lastIndex = at
      const next = marks.exec(text)?.index ?? text.length
      const end = text[next] === '\n' ? next + 1 : Math.max(next, at + 1)
      write(text.slice(at, end))
      at = end
    }
  }
  return out.join('')
}

/** Number of characters to inspect before a tag. */
const LOOK_BACK = 200

/** Finds the next occurrence of a mark; calls in ascending order take linear time in total. */
type Next = (from: number) => number

function nextOf(text: string, mark: string): Next {
  let asked = 0
  let found = text.indexOf(mark)
  return (from) => {
    if (from < asked || (found !== -1 && found < from)) found = text.indexOf(mark, (asked = from))
    return found === -1 ? Infinity : found
  }
}

/** An open element, and the indentation of its content; unknown before its first line. */
interface OpenTag {
  readonly name: string
  indent?: number
}

/** Start of a closing tag; a fragment has no name. */
const CLOSING = /<\/([A-Za-z][\w.-]*)?/g

/** The open elements of a text. */
class OpenTags {
  readonly #text: string
  readonly #open: OpenTag[] = []
  readonly #count = new Map<string, number>()
  #lastClosing: ReadonlyMap<string, number> | undefined

  constructor(text: string) {
    this.#text = text
  }

  get innermost(): OpenTag | undefined {
    return this.#open.at(-1)
  }

  /** A tag that is never closed is not opened, because it would remove indentation from everything after it. */
  begin({ name, start }: Pick<Tag, 'name' | 'start'>): void {
    this.#lastClosing ??= new Map([...this.#text.matchAll(CLOSING)].map(({ 1: closed = '', index }) => [closed, index]))
    if ((this.#lastClosing.get(name) ?? -1) <= start) return
    this.#open.push({ name })
    this.#count.set(name, (this.#count.get(name) ?? 0) + 1)
  }

  /** Ends the innermost element of this name, and those open within it. */
  end(name: string): void {
    if ((this.#count.get(name) ?? 0) === 0) return
    for (let ended: string | undefined; ended !== name;) {
      ended = this.#open.pop()!.name
      this.#count.set(ended, this.#count.get(ended)! - 1)
    }
  }
}

/** Removes the indentation of text in components, which Markdown would read as code from four spaces. */
function skipIndent(text: string, at: number, innermost: OpenTag | undefined): number {
  if (innermost === undefined) return at
  const [indent] = /^[ \t]*/.exec(lineAt(text, at)) ?? ['']
  if (lineAt(text, at).trim() === '') return at
  // A closing tag is indented less than the content.
  if (!lineAt(text, at).trimStart().startsWith('</')) innermost.indent ??= indent.length
  return at + Math.min(indent.length, innermost.indent ?? indent.length)
}

/** Reduced distance, characters, to look for an end after one was not found. */
const UNENDED_REACH = 500

/** The imports and exports of a text. */
class Programs {
  readonly #text: string
  /** Distance to look for an end; reduced once one was not found. */
  #reach = Infinity
  /** Net number of opened brackets by start of line, cached because several searches may cover the same lines. */
  readonly #depths = new Map<number, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** A block of imports or exports ends at a blank line with all brackets closed. @returns `at` if none begins */
  endAt(at: number): number {
    const text = this.#text
    const first = lineAt(text, at)
    if (!IMPORT.test(first) && !EXPORT.test(first)) return at
    const limit = Math.min(text.length, at + this.#reach)
    let depth = 0
    let here = at
    while (here < limit) {
      const line = lineAt(text, here)
      if (line.trim() === '' && depth <= 0) break
      depth += this.#depthOf(line, here)
      here += line.length + 1
    }
    if (depth <= 0) return Math.min(text.length, here)
    // An unclosed bracket would remove the whole text.
    this.#reach = UNENDED_REACH
    return Math.min(text.length, at + first.length + 1)
  }

  #depthOf(line: string, at: number): number {
    let depth = this.#depths.get(at)
    if (depth === undefined) {
      depth = 0
      for (const [bracket] of line.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, '').matchAll(/[([{}\])]/g))
        depth += '([{'.includes(bracket) ? 1 : -1
      this.#depths.set(at, depth)
    }
    return depth
  }
}

function lineAt(text: string, at: number): string {
  const end = text.indexOf('\n', at)
  return text.slice(at, end === -1 ? text.length : end)
}

/** @returns the code, indented no further than its fence, and where the text continues */
function fencedCode(text: string, at: number, fence: string, open: OpenTag | undefined): [code: string, after: number] {
  const mark = fence[0] ?? '`'
  const closing = new RegExp(`^[ \\t]*${mark}{${fence.length},}[ \\t]*$`)
  let code = ''
  let here = at
  for (let first = true; here < text.length; first = false) {
    if (!first) here = skipIndent(text, here, open)
    const line = lineAt(text, here)
    code += text.slice(here, here + line.length + 1)
    here += line.length + 1
    if (!first && closing.test(line)) break
  }
  return [code, Math.min(text.length, here)]
}

/** The end of inline code; of the backticks themselves if nothing closes it within the paragraph. */
function endOfCode(text: string, from: number, paragraphEnds: Next): number {
  const run = /^`+/.exec(text.slice(from, from + 100))?.[0] ?? '`'
  const inside = from + run.length
  const around = text.slice(inside, Math.min(paragraphEnds(inside), inside + MAX_EXPRESSION))
  for (let at = around.indexOf(run); at !== -1; at = around.indexOf(run, at + 1)) {
    if (around[at + run.length] !== '`' && around[at - 1] !== '`') return inside + at + run.length
  }
  return inside
}

/** Gives the end of an expression from its opening brace; `undefined` if it is unclosed. */
type EndOf = (from: number, longest?: number) => number | undefined

function expressionsOf(text: string): EndOf {
  const closes = nextOf(text, '}')
  let unended = 0
  return (from, longest = MAX_EXPRESSION) => {
    const limit = Math.min(text.length, from + (unended < MAX_UNENDED ? longest : UNENDED_REACH))
    if (closes(from) >= limit) return undefined
    const end = endOfBraces(text, from, limit)
    if (end === undefined) unended++
    return end
  }
}

/** Skips braces in strings, templates and comments. */
function endOfBraces(text: string, from: number, limit: number): number | undefined {
  let depth = 0
  /** By quote, up to where none of them is closed: an escaped one would be followed to there again. */
  const unclosed = new Map<string, number>()
  for (let at = from; at < limit; at++) {
    const character = text[at]
    if (character === '{') depth++
    else if (character === '}') {
      if (--depth === 0) return at + 1
    } else if (character === '"' || character === "'" || character === '`') {
      if (at < (unclosed.get(character) ?? 0)) continue
      const end = endOfString(text, at, limit)
      // An apostrophe in prose does not start a string.
      if (end.isClosed) at = end.at - 1
      else unclosed.set(character, end.at)
    } else if (character === '/' && text[at + 1] === '*') {
      const end = text.slice(at + 2, limit).indexOf('*/')
      if (end === -1) return undefined
      at += end + 3
    }
  }
  return undefined
}

/** The end of a string, or of the line in which it is not closed. A template that does not end before counts as closed at `limit`. */
function endOfString(text: string, from: number, limit: number): { readonly at: number; readonly isClosed: boolean } {
  const quote = text[from]
  for (let at = from + 1; at < limit; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return { at: at + 1, isClosed: true }
    else if (text[at] === '\n' && quote !== '`') return { at, isClosed: false }
  }
  return { at: limit, isClosed: limit < text.length }
}

/** A string or template without expressions in it, or a number. */
const LITERAL = /^\s*(?:(["'])((?:\\[^]|(?!\1)[^\\])*)\1|`((?:\\[^]|\$(?!\{)|[^\\`$])*)`|(-?\d[\d._]*))\s*$/

/** The text of an expression that is a literal, such as `{" "}`; '' for any other. */
function textOf(expression: string): string {
  const [, , quoted, template = quoted, number = ''] = LITERAL.exec(expression) ?? []
  return template === undefined ? number.replaceAll('_', '') : unescaped(template)
}

interface Tag {
  readonly name: string
  readonly kind: 'opening' | 'closing' | 'single'
  readonly title?: string
  /** Markdown that its other attributes display. */
  readonly content?: string
  /** What describes a picture. */
  readonly alt?: string
  readonly start: number
  readonly end: number
}

/** The tags of a text. */
class Tags {
  readonly #text: string
  readonly #endOfExpression: EndOf
  /** Distance to look for an end; reduced once one was not found. */
  #reach = Infinity

  constructor(text: string, endOfExpression: EndOf) {
    this.#text = text
    this.#endOfExpression = endOfExpression
  }

  /** The tag at `<`; `undefined` if it is not one, as in a comparison. */
  at(start: number): Tag | undefined {
    const text = this.#text
    const closing = text[start + 1] === '/'
    let at = start + (closing ? 2 : 1)
    // A fragment has no name.
    if (text[at] === '>') return { name: '', kind: closing ? 'closing' : 'opening', start, end: at + 1 }
    NAME.lastIndex = at
    const name = NAME.exec(text)?.[0]
    if (name === undefined) return undefined
    at += name.length
    if (!/[\s/>]/.test(text[at] ?? '')) return undefined
    let title: string | undefined
    let alt = ''
    const texts: string[] = []
    const literals: string[] = []
    const found = (kind: Tag['kind'], end: number): Tag => {
      const content = /^[A-Z]/.test(name)
        ? [...texts, ...literals.map(textsOfObjects)].filter(Boolean).join('\n\n')
        : ''
      return {
        name,
        kind,
        start,
        end,
        ...titled(title),
        ...(content !== '' && { content }),
        ...(alt !== '' && { alt }),
      }
    }
    let limit = Math.min(text.length, start + this.#reach)
    while (at < limit) {
      const character = text[at]
      if (character === '>') return found(closing ? 'closing' : 'opening', at + 1)
      if (character === '/' && text[at + 1] === '>') return found('single', at + 2)
      if (character === '<') break
      if (character === '"' || character === "'") {
        const end = text.indexOf(character, at + 1)
        if (end === -1) break
        const attribute = attributeOf(text, at)
        if (isTitle(name, attribute)) title ??= text.slice(at + 1, end)
        else if (attribute === 'alt') alt = text.slice(at + 1, end)
        else if (TEXTS.has(attribute)) texts.push(text.slice(at + 1, end))
        at = end + 1
      } else if (character === '{') {
        const end = this.#endOfExpression(at, MAX_ATTRIBUTE)
        if (end === undefined) break
        const attribute = attributeOf(text, at)
        const value = text.slice(at + 1, end - 1)
        if (isTitle(name, attribute)) title ??= textOf(value)
        else if (attribute === 'alt') alt = textOf(value)
        else if (TEXTS.has(attribute) && textOf(value) !== '') texts.push(textOf(value))
        else literals.push(value)
        limit = Math.min(text.length, limit + end - at)
        at = end
      } else at++
    }
    // Otherwise many tags could each search the same text.
    if (at - start > UNENDED_REACH) this.#reach = UNENDED_REACH
    return undefined
  }
}

/** The attribute whose value begins at `at`; '' for other values. */
function attributeOf(text: string, at: number): string {
  if (!/[=\s]/.test(text[at - 1] ?? '')) return ''
  return /([\w-]+)\s*=\s*$/.exec(text.slice(Math.max(0, at - 100), at))?.[1] ?? ''
}

/** Whether an attribute is displayed as the component's title. */
function isTitle(component: string, attribute: string): boolean {
  return TITLES.has(attribute) || (component.endsWith('Field') && FIELD_NAMES.has(attribute))
}

function titled(title: string | undefined): { title?: string } {
  const words = title?.replaceAll(/\s+/g, ' ').trim() ?? ''
  return words === '' ? {} : { title: words }
}

/** The replacement for a tag. Also tracks open elements. */
function inPlaceOf(tag: Tag, before: string, open: OpenTags, text: string): string {
  const { name, kind, title, content, alt, start, end } = tag
  const inline = INLINE.has(name)
  const endsLine = /^[ \t]*(?:\n|$)/.test(text.slice(end, end + LOOK_BACK))
  const alone = endsLine && /(?:^|\n)[ \t]*$/.test(before)
  if (kind === 'closing') open.end(name)
  else if (kind === 'opening' && !inline && !VOID.has(name) && endsLine) open.begin(tag)
  if ((title !== undefined || content !== undefined) && !inline) {
    const shown = [...(title === undefined ? [] : [`**${title}**`]), ...(content === undefined ? [] : [content])].join(
      '\n\n',
    )
    return alone ? `\n${shown}\n` : `\n\n${shown}\n\n`
  }
  if (inline) return ''
  if (alt !== undefined) return alt.replaceAll(/\s+/g, ' ')
  // An inline element, such as an icon, does not split a word; a table cell does.
  if (/^[a-z]/.test(name)) return alone ? '' : ' '
  // Adjacent components are separate words.
  return kind === 'opening' && ENDS_IN_CLOSING.test(text.slice(Math.max(0, start - LOOK_BACK), start)) ? ' ' : ''
}

const ENDS_IN_CLOSING = /<\/[\w.-]*>$/
const VOID = new Set(['area', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr'])
