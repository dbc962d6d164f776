/** MDX as Markdown: the text stays, what a program would run goes. */

const FENCE = /^[ \t]*(`{3,}|~{3,})/
const IMPORT = /^import\s+(?:['"{*]|[\w$]+\s*,|[\w$]+\s+from\b)/
const EXPORT = /^export\s+(?:const|let|var|function|class|default|async|type|interface|\{|\*)/
const NAME = /[A-Za-z][\w.-]*/y
/** Characters of an expression, or of code in a line, looked through for its end. */
const MAX_EXPRESSION = 4000
/** Expressions of a text that may have none, until others are looked through for `UNENDED_REACH` alone. */
const MAX_UNENDED = 25
/** Attributes that a reader sees as a heading of the component. */
const TITLES = new Set(['title', 'label', 'heading', 'summary', 'caption'])
/** Attributes of components such as `ParamField` that name what is described. */
const FIELD_NAMES = new Set(['name', 'body', 'path', 'query', 'header'])
/** Elements within a line: taking them out parts no word. */
const INLINE = new Set(
  'a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strong sub sup u var'.split(' '),
)

/** What begins something in a line, and its end. */
const MARK = /[\\`{<\n]/g

/**
 * Takes imports, exports, comments, expressions and the tags of components out of MDX, and keeps what they enclose. The
 * title of a component (a tab, a step, a card) stays as a line in bold. Code is left alone. What is not closed is text.
 * Time rises with the length of the text alone.
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
  // The end of what is written: the whole of it would be put together anew for each look.
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
    } else if (character === '{') {
      const end = endOfExpression(at)
      write(end === undefined ? character : stringOf(text.slice(at + 1, end - 1)))
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

/** Characters that are looked at before a tag. */
const LOOK_BACK = 200

/** Finds the next of a mark, from any place on; asked from the beginning to the end, in the time of one look. */
type Next = (from: number) => number

function nextOf(text: string, mark: string): Next {
  let asked = 0
  let found = text.indexOf(mark)
  return (from) => {
    if (from < asked || (found !== -1 && found < from)) found = text.indexOf(mark, (asked = from))
    return found === -1 ? Infinity : found
  }
}

/** An element that is open, and how far its content is indented; unknown before the first line of it. */
interface OpenTag {
  readonly name: string
  indent?: number
}

/** The beginning of a tag that closes; a fragment has no name. */
const CLOSING = /<\/([A-Za-z][\w.-]*)?/g

/** Elements of a text that are open. */
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

  /** What is never closed would take indentation away from everything after it: it is not opened. */
  begin({ name, start }: Pick<Tag, 'name' | 'start'>): void {
    this.#lastClosing ??= new Map([...this.#text.matchAll(CLOSING)].map(({ 1: closed = '', index }) => [closed, index]))
    if ((this.#lastClosing.get(name) ?? -1) <= start) return
    this.#open.push({ name })
    this.#count.set(name, (this.#count.get(name) ?? 0) + 1)
  }

  /** Ends the innermost of this name, and what is open within it. */
  end(name: string): void {
    if ((this.#count.get(name) ?? 0) === 0) return
    for (let ended: string | undefined; ended !== name;) {
      ended = this.#open.pop()!.name
      this.#count.set(ended, this.#count.get(ended)! - 1)
    }
  }
}

/** Within components the text is indented for the eye; in Markdown four spaces would make code of it. */
function skipIndent(text: string, at: number, innermost: OpenTag | undefined): number {
  if (innermost === undefined) return at
  const [indent] = /^[ \t]*/.exec(lineAt(text, at)) ?? ['']
  if (lineAt(text, at).trim() === '') return at
  // The closing tag stands further out than what it closes.
  if (!lineAt(text, at).trimStart().startsWith('</')) innermost.indent ??= indent.length
  return at + Math.min(indent.length, innermost.indent ?? indent.length)
}

/** Characters of a program, a tag or an expression looked through for its end, once others had none. */
const UNENDED_REACH = 500

/** Imports and exports of a text. */
class Programs {
  readonly #text: string
  /** How far one is looked for its end: once one has none, not far. */
  #reach = Infinity
  /** By where a line begins, how many more brackets it opens than it closes: others may begin within what was looked through. */
  readonly #depths = new Map<number, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** A block of imports or exports ends at a blank line with every bracket closed. @returns `at` where none begins */
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
    // A bracket that is never closed would take the whole text with it.
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

/** @returns the code, indented no further than its fence, and where the text goes on */
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

/** The end of inline code; of the run of backticks itself where nothing closes it within the paragraph. */
function endOfCode(text: string, from: number, paragraphEnds: Next): number {
  const run = /^`+/.exec(text.slice(from, from + 100))?.[0] ?? '`'
  const inside = from + run.length
  const around = text.slice(inside, Math.min(paragraphEnds(inside), inside + MAX_EXPRESSION))
  for (let at = around.indexOf(run); at !== -1; at = around.indexOf(run, at + 1)) {
    if (around[at + run.length] !== '`' && around[at - 1] !== '`') return inside + at + run.length
  }
  return inside
}

/** Where an expression ends, by the brace that it begins with; `undefined` for one without an end. */
type EndOf = (from: number) => number | undefined

function expressionsOf(text: string): EndOf {
  const closes = nextOf(text, '}')
  let unended = 0
  return (from) => {
    const limit = Math.min(text.length, from + (unended < MAX_UNENDED ? MAX_EXPRESSION : UNENDED_REACH))
    if (closes(from) >= limit) return undefined
    const end = endOfBraces(text, from, limit)
    if (end === undefined) unended++
    return end
  }
}

/** Strings, templates and comments may hold braces of their own. */
function endOfBraces(text: string, from: number, limit: number): number | undefined {
  let depth = 0
  for (let at = from; at < limit; at++) {
    const character = text[at]
    if (character === '{') depth++
    else if (character === '}') {
      if (--depth === 0) return at + 1
    } else if (character === '"' || character === "'" || character === '`') {
      const end = endOfString(text, at, limit)
      // An apostrophe in prose opens no string.
      if (end !== undefined) at = end - 1
    } else if (character === '/' && text[at + 1] === '*') {
      const end = text.slice(at + 2, limit).indexOf('*/')
      if (end === -1) return undefined
      at += end + 3
    }
  }
  return undefined
}

/** @returns `limit` for one that goes beyond it */
function endOfString(text: string, from: number, limit: number): number | undefined {
  const quote = text[from]
  for (let at = from + 1; at < limit; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return at + 1
    else if (text[at] === '\n' && quote !== '`') return undefined
  }
  return limit < text.length ? limit : undefined
}

/** The text of an expression that is one string, such as `{" "}`; of any other nothing is known. */
function stringOf(expression: string): string {
  const [, , text] = /^\s*(["'`])((?:(?!\1)[^\\$])*)\1\s*$/.exec(expression) ?? []
  return text ?? ''
}

interface Tag {
  readonly name: string
  readonly kind: 'opening' | 'closing' | 'single'
  readonly title?: string
  readonly start: number
  readonly end: number
}

/** Tags of a text. */
class Tags {
  readonly #text: string
  readonly #endOfExpression: EndOf
  /** How far one is looked for its end: once one has none, not far. */
  #reach = Infinity

  constructor(text: string, endOfExpression: EndOf) {
    this.#text = text
    this.#endOfExpression = endOfExpression
  }

  /** The tag at `<`; `undefined` for any other `<`, such as that of an address or a comparison. */
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
    const limit = Math.min(text.length, start + this.#reach)
    while (at < limit) {
      const character = text[at]
      if (character === '>')
        return { name, kind: closing ? 'closing' : 'opening', start, end: at + 1, ...titled(title) }
      if (character === '/' && text[at + 1] === '>')
        return { name, kind: 'single', start, end: at + 2, ...titled(title) }
      if (character === '<') break
      if (character === '"' || character === "'") {
        const end = text.indexOf(character, at + 1)
        if (end === -1) break
        if (isTitle(name, text, at)) title ??= text.slice(at + 1, end)
        at = end + 1
      } else if (character === '{') {
        const end = this.#endOfExpression(at)
        if (end === undefined) break
        if (isTitle(name, text, at)) title ??= stringOf(text.slice(at + 1, end - 1))
        at = end
      } else at++
    }
    // Others may begin within what was looked through, again and again.
    if (at - start > UNENDED_REACH) this.#reach = UNENDED_REACH
    return undefined
  }
}

/** Whether the value at `at` is what a reader sees as the title of the component. */
function isTitle(component: string, text: string, at: number): boolean {
  if (!/[=\s]/.test(text[at - 1] ?? '')) return false
  const attribute = /([\w-]+)\s*=\s*$/.exec(text.slice(Math.max(0, at - 100), at))?.[1] ?? ''
  return TITLES.has(attribute) || (component.endsWith('Field') && FIELD_NAMES.has(attribute))
}

function titled(title: string | undefined): { title?: string } {
  const words = title?.replaceAll(/\s+/g, ' ').trim() ?? ''
  return words === '' ? {} : { title: words }
}

/** What stands where a tag stood. Keeps count of what is open. */
function inPlaceOf(tag: Tag, before: string, open: OpenTags, text: string): string {
  const { name, kind, title, start, end } = tag
  const inline = INLINE.has(name)
  const endsLine = /^[ \t]*(?:\n|$)/.test(text.slice(end, end + LOOK_BACK))
  const alone = endsLine && /(?:^|\n)[ \t]*$/.test(before)
  if (kind === 'closing') open.end(name)
  else if (kind === 'opening' && !inline && !VOID.has(name) && endsLine) open.begin(tag)
  if (title !== undefined && !inline) return alone ? `\n**${title}**\n` : `\n\n**${title}**\n\n`
  if (inline) return ''
  // A component in a sentence, such as an icon, parts no word; a cell of a table does.
  if (/^[a-z]/.test(name)) return alone ? '' : ' '
  // Two components are no word together.
  return kind === 'opening' && ENDS_IN_CLOSING.test(text.slice(Math.max(0, start - LOOK_BACK), start)) ? ' ' : ''
}

const ENDS_IN_CLOSING = /<\/[\w.-]*>$/
const VOID = new Set(['area', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr'])
