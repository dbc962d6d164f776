/** Converts MDX to Markdown: text is kept, code is removed. */
import { ADMONITION, admonitionTitle } from '../markdown/admonitions.ts'
import { expressionsOf } from './expressions.ts'
import { inPlaceOf } from './in-place.ts'
import { OpenTags, type OpenTag } from './open-tags.ts'
import { INLINE, LOOK_BACK, Output } from './output.ts'
import { lineAt, type Next, nextOf } from './positions.ts'
import { Programs } from './programs.ts'
import { shownBy } from './shown-by.ts'
import { type Tag, Tags, VOID } from './tags.ts'

/** The fence of code, also as the first thing in an item or quote. */
const FENCE = /^(?:[ \t]|(?:[-*+>]|\d{1,9}[.)])[ \t])*(`{3,}(?![^\n]*`)|~{3,})/
/** The fence of what Docusaurus reads as MDX nevertheless. */
const NO_CODE = /^[ \t]*`{3,}mdx-code-block[ \t]*$/
/** Maximum length of inline code, characters. */
const MAX_CODE = 4000
/** Components whose text is code. */
const CODE = /code|prism|highlight|terminal|shell/i
/** Maximum nesting of elements in expressions; deeper ones are removed. */
const MAX_NESTING = 4

/** Characters with a meaning within a line. */
const MARK = /[\\`{<$\n]/g
/** Maths, whose braces are no expression: neither `${price}` nor `$5 to $6`. */
const MATHS = /\$\$[^]*?\$\$|\$(?![\s{])[^$\n]*[^\s$\\]\$(?![\d{])/y

/**
 * Removes imports, exports, comments, code and component tags from MDX, and keeps the text that is displayed. The title
 * of a component (a tab, a step, a card) becomes a bold line, the texts of its attributes stay, and objects in them, such
 * as a table of parameters, become a list. HTML becomes Markdown, without what it hides. Of an expression its elements
 * and the strings that it chooses or lists are kept: of alternatives all. Unclosed constructs are text. Takes linear
 * time.
 *
 * @see https://mdxjs.com/docs/what-is-mdx
 */
export function mdxToMarkdown(mdx: string): string {
  const output = new Output()
  convert(mdx.replaceAll('\r\n', '\n'), output, 0)
  return output.finish()
}

/** @param nesting number of expressions around the text */
function convert(text: string, output: Output, nesting: number): void {
  const open = new OpenTags(text)
  const paragraphEnds = nextOf(text, '\n\n')
  const programs = new Programs(text)
  const endOfExpression = expressionsOf(text)
  const tags = new Tags(text, endOfExpression)
  const marks = new RegExp(MARK)
  let lastTag: Tag | undefined
  /** The fence that ends what is no code. */
  let fenceOfMdx: string | undefined
  let at = 0
  while (at < text.length) {
    if (at === 0 || text[at - 1] === '\n') {
      const end = programs.endAt(at)
      if (end > at) {
        at = end
        continue
      }
      at = skipIndent(text, at, open.innermost)
      const line = lineAt(text, at)
      const fence = FENCE.exec(line)
      if (NO_CODE.test(line) || (fenceOfMdx !== undefined && line.trim() === fenceOfMdx)) {
        fenceOfMdx = NO_CODE.test(line) ? fence?.[1] : undefined
        at = Math.min(text.length, at + line.length + 1)
        continue
      }
      if (fence?.[1] !== undefined) {
        const [code, after] = fencedCode(text, at, fence[1], open.innermost)
        output.write(code)
        at = after
        continue
      }
      if (ADMONITION.test(line)) {
        const title = admonitionTitle(line)
        output.write(title === '' ? '\n' : `\n**${title}**\n\n`)
        at = Math.min(text.length, at + line.length + 1)
        continue
      }
    }
    const character = text[at] ?? ''
    if (character === '\\') {
      output.write(text.slice(at, at + 2))
      at += 2
    } else if (character === '`') {
      const end = endOfCode(text, at, paragraphEnds)
      output.write(text.slice(at, end))
      at = end
    } else if (character === '$') {
      MATHS.lastIndex = at
      const maths = MATHS.exec(text)?.[0] ?? character
      output.write(maths)
      at += maths.length
    } else if (character === '{') {
      const end = endOfExpression(at)
      if (end === undefined) output.write(character)
      else writeExpression(text.slice(at + 1, end - 1), lastTag?.end === at ? lastTag : undefined, output, nesting)
      at = end ?? at + 1
    } else if (character === '<') {
      const tag = tags.at(at)
      if (tag === undefined) output.write(character)
      else writeTag(tag, output, open, text)
      lastTag = tag
      at = tag?.end ?? at + 1
    } else {
      marks.lastIndex = at
      const end = Math.max(marks.exec(text)?.index ?? text.length, at + 1)
      output.write(text.slice(at, end))
      at = end
    }
  }
}

/** @param within the tag directly before the expression */
function writeExpression(expression: string, within: Tag | undefined, output: Output, nesting: number): void {
  for (const [at, shown] of shownBy(expression).entries()) {
    if ('text' in shown)
      output.write(!output.isIn('pre') && isCode(shown.text, within) ? fenced(shown.text) : shown.text)
    else if (nesting < MAX_NESTING && !(shown.repeated && isEmpty(shown.element, nesting))) {
      if (at > 0 && !/\s$/.test(output.tail)) output.write(' ')
      convert(shown.element, output, nesting + 1)
    }
  }
}

/** Whether an element has no text but what its code computes. */
function isEmpty(element: string, nesting: number): boolean {
  const output = new Output()
  convert(element, output, nesting + 1)
  return !/[\p{L}\p{N}]/u.test(output.finish())
}

function isCode(text: string, within: Tag | undefined): boolean {
  return within?.kind === 'opening' && CODE.test(within.name) && text.trim().includes('\n')
}

function fenced(code: string): string {
  const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `\n\n${fence}\n${code.replace(/^\n+/, '').trimEnd()}\n${fence}\n\n`
}

/** Removes the indentation of text in components, which Markdown would read as code from four spaces. */
function skipIndent(text: string, at: number, innermost: OpenTag | undefined): number {
  const line = lineAt(text, at)
  if (innermost === undefined || line.trim() === '') return at
  const indent = line.search(/[^ \t]/)
  // A closing tag is indented less than the content.
  if (!line.startsWith('</', indent)) innermost.indent ??= indent
  return at + Math.min(indent, innermost.indent ?? indent)
}

/** @returns the code, indented no further than its fence, and where the text continues */
function fencedCode(text: string, at: number, fence: string, open: OpenTag | undefined): [code: string, after: number] {
  const mark = fence[0] ?? '`'
  const closing = new RegExp(`^[ \\t>]*${mark}{${fence.length},}[ \\t]*$`)
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
  let inside = from
  while (text[inside] === '`') inside++
  const run = text.slice(from, inside)
  const around = text.slice(inside, Math.min(paragraphEnds(inside), inside + MAX_CODE))
  for (let at = around.indexOf(run); at !== -1; at = around.indexOf(run, at + 1)) {
    if (around[at + run.length] !== '`' && around[at - 1] !== '`') return inside + at + run.length
  }
  return inside
}

/** Writes what replaces a tag. Also tracks open elements. */
function writeTag(tag: Tag, output: Output, open: OpenTags, text: string): void {
  const { name, kind, end } = tag
  const isInline = INLINE.has(name)
  const endsLine = /^[ \t]*(?:\n|$)/.test(text.slice(end, end + LOOK_BACK))
  const folders = open.count(name.replace(/File$/, 'Folder'))
  let shown = tag
  if (kind === 'closing') {
    open.end(name)
    if (output.end(name)) return
  } else {
    shown = open.titled(tag)
    const isOpened =
      kind === 'opening' && !VOID.has(name) && (!isInline || output.takes(tag)) && open.isClosedAfter(tag)
    if (isOpened && endsLine && !isInline) open.begin(tag)
    if ((isOpened || kind === 'single' || VOID.has(name)) && output.takes(tag)) return output.begin(tag)
  }
  const line = output.tail.slice(output.tail.lastIndexOf('\n') + 1)
  output.write(inPlaceOf(shown, { text, line, endsLine, folders }))
}
