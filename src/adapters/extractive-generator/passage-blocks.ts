/** What a passage is made of: prose apart from headings, lists, code and the rest. */
import { sentences } from '../../core/text/sentences.ts'

/** A piece of a passage, in order. */
export type PassageBlock =
  | { readonly kind: 'heading'; readonly text: string }
  /**
   * `defines` says that it begins a definition, which is marked by a colon before it; `indented`, that it may belong to
   * an item of the list before it.
   */
  | {
      readonly kind: 'prose'
      readonly sentences: readonly string[]
      readonly defines?: boolean
      readonly indented?: boolean
    }
  | { readonly kind: 'list'; readonly source: string }
  | { readonly kind: 'code'; readonly source: string }
  /** Tables, mark-up, quotations of other pages: they stand for something, and say nothing. */
  | { readonly kind: 'other'; readonly text: string }

/** An item of a list. */
export interface ListItem {
  readonly text: string
  /** The items that it stands in, outermost first. */
  readonly within: readonly string[]
}

const FENCE = /^\s*(`{3,}|~{3,})/
const HEADING = /^\s*#{1,6}\s/
const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?=\S)/
/** Before what a definition list says of a term. */
const DEFINES = /^\s*:\s+/
/** Of a quotation, and of a definition. */
const MARKED = /^\s*(?:>\s?|:\s+)/
const INDENTED = /^(?: {4}|\t)/
/** A bar between cells: rows of tables need none before the first. */
const CELLS = /\S\s+\|\s+\S/
const INLINE_CODE = /`[^`]*`/g
/** Rows of tables, tags that stand alone, directives, footnotes, imports of MDX, rules. */
const OTHER = /^\s*(?:\||<\/?[A-Za-z!]|:::|!!!|\[\^?[^\]]+\]:|(?:import|export)\s.*(?:from\s|=)|[-*_=]{3,}\s*$|!\[)/

/**
 * Reads a passage by its lines, in time that rises with its length.
 *
 * @param heading the heading above it, which may open the text without its marks
 */
export function passageBlocks(text: string, heading?: string): PassageBlock[] {
  const found: PassageBlock[] = []
  let lines: string[] = []
  let fence: { readonly mark: string; readonly lines: string[] } | undefined
  const endBlock = (): void => {
    if (lines.length > 0) found.push(...blocksOf(lines))
    lines = []
  }
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      fence.lines.push(line)
      if (mark?.startsWith(fence.mark) !== true || line.trim() !== mark) continue
      found.push(codeOf(fence.lines))
      fence = undefined
    } else if (mark !== undefined) {
      endBlock()
      fence = { mark, lines: [line] }
    } else if (at === 0 && heading !== undefined && line.trim() === heading) {
      found.push({ kind: 'heading', text: heading })
    } else if (line.trim() === '' || HEADING.test(line) || isOther(line)) {
      endBlock()
      if (HEADING.test(line)) found.push({ kind: 'heading', text: headingText(line) })
      else if (line.trim() !== '') found.push({ kind: 'other', text: line.trim() })
    } else lines.push(line)
  }
  // A fence that was cut off is not quoted.
  if (fence !== undefined) found.push({ kind: 'other', text: '' })
  endBlock()
  return joinedBlocks(found)
}

function isOther(line: string): boolean {
  return OTHER.test(line) || CELLS.test(line.replaceAll(INLINE_CODE, 'x'))
}

/** Without the marks before it and, where there are some, behind it. */
function headingText(line: string): string {
  const text = line.trim()
  let [from, to] = [0, text.length]
  while (text.charAt(from) === '#') from++
  while (to > from && text.charAt(to - 1) === '#') to--
  return text.slice(from, to).trim()
}

function codeOf(lines: readonly string[]): PassageBlock {
  const indent = /^\s*/.exec(lines[0] ?? '')?.[0].length ?? 0
  // As the fence is indented, so is what it holds.
  const source = lines.map((line) => (line.slice(0, indent).trim() === '' ? line.slice(indent) : line)).join('\n')
  return { kind: 'code', source }
}

/** Lines between blank ones: a list, indented code, or a paragraph with perhaps a list behind it. */
function blocksOf(lines: readonly string[]): PassageBlock[] {
  const first = lines.findIndex((line) => ITEM.test(line))
  if (lines.every((line) => INDENTED.test(line)) && first < 0) return [{ kind: 'other', text: '' }]
  if (first < 0) return [paragraphOf(lines)]
  const before = first === 0 ? [] : [paragraphOf(lines.slice(0, first))]
  const own = lines.slice(first)
  return [...before, { kind: 'list', source: own.join('\n') }]
}

/** The items of a list, those within others too. */
export function listItems(source: string): ListItem[] {
  const found: { readonly indent: number; text: string; readonly within: readonly string[] }[] = []
  const open: typeof found = []
  for (const line of source.split('\n')) {
    const indent = ITEM.exec(line)?.[1]?.length
    const last = open.at(-1)
    if (indent !== undefined) {
      while ((open.at(-1)?.indent ?? -1) >= indent) open.pop()
      const item = { indent, text: line.replace(ITEM, ''), within: open.map(({ text }) => text) }
      open.push(item)
      found.push(item)
    } else if (last !== undefined) last.text += ` ${line.trim()}`
  }
  return found.map(({ text, within }) => ({ text, within }))
}

function paragraphOf(lines: readonly string[]): PassageBlock {
  const text = lines
    .map((line) => line.replace(MARKED, ''))
    .join(' ')
    .trim()
  // A line in bold letters, or a question that nobody answers in the same paragraph, is the heading of what follows.
  const bold = /^\*\*([^*]+)\*\*:?$/.exec(text)?.[1]
  if (bold !== undefined) return { kind: 'heading', text: bold }
  const [begins = ''] = lines
  return {
    kind: 'prose',
    sentences: sentences(text),
    defines: DEFINES.test(begins),
    indented: /^(?: {2}|\t)/.test(begins),
  }
}

/** Items that blank lines keep apart are one list, and paragraphs behind a definition belong to it. */
function joinedBlocks(blocks: readonly PassageBlock[]): PassageBlock[] {
  const joined: PassageBlock[] = []
  for (const block of blocks) {
    const last = joined.at(-1)
    if (block.kind === 'list' && last?.kind === 'list') {
      joined[joined.length - 1] = { kind: 'list', source: `${last.source}\n${block.source}` }
    } else if (block.kind === 'prose' && last?.kind === 'prose' && last.defines === true) {
      joined[joined.length - 1] = { ...last, sentences: [...last.sentences, ...block.sentences] }
    } else joined.push(block)
  }
  return joined
}
