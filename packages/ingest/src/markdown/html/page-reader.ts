/** Reads a page from its tags and texts in order: tracks open elements, their visibility, and where their text goes. */
import { decodeHTML, decodeHTMLAttribute } from 'entities'
import type { MarkdownBlock } from '../blocks.ts'
import {
  AROUND,
  BLOCKS,
  CELLS,
  CONTROLS,
  ENDS_FOREIGN,
  ENDS_OWN_KIND,
  ENDS_PARAGRAPH,
  HEADINGS,
  INLINE_CODE,
  names,
  NEVER_SHOWN,
  PREFORMATTED,
  RAW_TEXT,
  SECTIONS,
  TABLE_PARTS,
} from './elements.ts'
import { type InlineStyle, readInlineStyle } from './inline-style.ts'
import { MarkdownWriter, type PlacedBlock } from './writer.ts'

/** A start tag. */
export interface BeginTag {
  /** In lower case. */
  readonly name: string
  /** The raw value, before character references are resolved; `undefined` if absent. */
  attribute(name: string): string | undefined
}

/** The result of reading a page. */
export interface ReadPage {
  readonly title: string | undefined
  readonly blocks: readonly MarkdownBlock[]
  readonly hiddenText: boolean
}

/** Visibility of an element's text; child elements inherit it. */
interface Sight {
  /** Not rendered; content cannot change that. */
  readonly removed: boolean
  readonly hidden: boolean
  readonly fontPixels: number
  readonly transparent: boolean
  /** It is text of a drawing, which `fill` and `stroke` paint, and not `color`. */
  readonly drawn: boolean
  readonly filled: boolean
  readonly stroked: boolean
  /** Its own style makes the element a block; not inherited. */
  readonly apart: boolean
}

/** An open element. */
export interface OpenElement {
  readonly name: string
  readonly sight: Sight
  /** Its text is never shown. */
  readonly neverShown: boolean
  readonly writer: MarkdownWriter
  /** Called when it ends. */
  readonly atEnd: () => void
  open: boolean
}

/** Name of a link to a place in its own page. */
export const SELF_LINK = '#'

const IN_FULL_SIGHT: Sight = {
  removed: false,
  hidden: false,
  fontPixels: 16,
  transparent: false,
  drawn: false,
  filled: true,
  stroked: false,
  apart: false,
}
/** Font size, pixels, up to which text counts as invisible. */
const SMALLEST_FONT = 1

/**
 * Follows the tags of a page. The tokenizer matches end tags with start tags; elements whose end tag the standard makes
 * optional are ended here. An element is open only while both agree, so that a missed end never hides text.
 */
export class PageReader {
  readonly #open: OpenElement[] = []
  /** Number of open elements by name. */
  readonly #count = new Map<string, number>()
  /** For numbered lists, the number of the next item, `NaN` if unknown, and what is added to it for each. */
  readonly #numbering = new WeakMap<OpenElement, { next: number; readonly step: number }>()
  readonly #page = new MarkdownWriter()
  /** Content around the text: used only if a page has nothing else. */
  readonly #around = new MarkdownWriter()
  #articles = 0
  #title: string | undefined
  /** Of the open title. */
  #titleText: string | undefined
  #hiddenText = false
  #steps = 0
  readonly #whole: boolean

  /** @param whole whether all visible content is text, without navigation and the like */
  constructor(whole: boolean) {
    this.#whole = whole
  }

  /** Number of open elements searched: apart from tags and texts, the only work that takes time. */
  get steps(): number {
    return this.#steps
  }

  get depth(): number {
    return this.#open.length
  }

  /** @returns the element, to be passed to `end`; `undefined` if it does not stay open */
  begin(tag: BeginTag): OpenElement | undefined {
    const { name } = tag
    this.#endWhatEndsHere(name)
    const parent = this.#parentOf(name)
    const writer = parent?.writer ?? this.#page
    const isTitle = name === 'title' && parent?.neverShown !== true && this.#title === undefined && !this.#within('svg')
    const neverShown = parent?.neverShown === true || isNeverShown(tag)
    const around = parent?.sight ?? IN_FULL_SIGHT
    const sight = sightOf(tag, around, name === 'svg' || this.#within('svg'))
    // An invisible element may contain visible ones, with their own `visibility`; an invisible line break breaks the line.
    const rendered = !neverShown && !sight.removed
    if (name === 'br' || name === 'hr') {
      if (rendered && name === 'br') writer.breakLine()
      else if (rendered) writer.endBlock()
      return undefined
    }
    if (name === 'img') {
      if (!neverShown) this.#show(decodeHTMLAttribute(tag.attribute('alt') ?? ''), sight, writer)
      return undefined
    }
    if (!rendered) {
      const atEnd = isTitle ? this.#openTitle() : nothing
      return this.#push({ name, neverShown, sight, writer, atEnd, open: true })
    }
    return this.#push(this.#element(tag, { neverShown, sight, writer }))
  }

  /** @param element whose end tag the tokenizer found */
  end(element: OpenElement): void {
    if (!element.open) {
      // If a start tag ended the paragraph, text before its end tag is separate from what follows.
      if (element.name === 'p') element.writer.endBlock()
      return
    }
    this.#popTo(this.#open.lastIndexOf(element))
  }

  /** @param raw text between two tags, with character references */
  text(raw: string): void {
    const top = this.#open.at(-1)
    if (this.#titleText !== undefined) {
      this.#titleText += decodeHTML(raw)
      return
    }
    if (top !== undefined && (top.neverShown || (this.#within('svg') && !this.#inSvgText()))) return
    const text = (top !== undefined && RAW_TEXT.has(top.name) ? raw : decodeHTML(raw)).replaceAll('\0', '')
    // The mark with which generators let a heading be linked to, such as a pilcrow, or that leads back from a footnote.
    if (top?.name === SELF_LINK && /^\s*[#¶§🔗↩\u200b\ue000-\uf8ff][\ufe0e\ufe0f]?\s*$/u.test(text)) return
    const parent = /[^ \t\r\n\f]/.test(text) ? this.#parentOf('') : top
    this.#show(text, parent?.sight ?? IN_FULL_SIGHT, parent?.writer ?? this.#page)
  }

  /** Ends the page. */
  finish(): ReadPage {
    this.#popTo(0)
    this.#page.endBlock()
    return {
      title: this.#title,
      blocks: this.#whole
        ? this.#page.blocks.map(({ block }) => block)
        : chosen(this.#page.blocks, this.#around.blocks, this.#articles),
      hiddenText: this.#hiddenText,
    }
  }

  #show(text: string, sight: Sight, writer: MarkdownWriter): void {
    if (isSeen(sight)) writer.text(text)
    else this.#hiddenText ||= text.trim() !== ''
  }

  #openTitle(): () => void {
    this.#titleText = ''
    return () => {
      this.#title = this.#titleText?.replaceAll('\0', '').replace(/\s+/g, ' ').trim() || undefined
      this.#titleText = undefined
    }
  }

  #element(tag: BeginTag, facts: Pick<OpenElement, 'neverShown' | 'sight' | 'writer'>): OpenElement {
    const { name } = tag
    const { writer } = facts
    if (this.#isAround(name)) {
      // Separates what follows from the preceding word or block.
      if (BLOCKS.has(name)) writer.endBlock()
      else writer.text(' ')
      return { name, ...facts, writer: this.#around, atEnd: () => this.#around.endBlock(), open: true }
    }
    const element = { name, ...facts, atEnd: this.#openInWriter(tag, writer, facts.sight.apart), open: true }
    if (name === 'ol') {
      // It would begin with the number of its items.
      const isReversed = tag.attribute('reversed') !== undefined
      const next = numberOf(tag, 'start', isReversed ? Number.NaN : 1)
      this.#numbering.set(element, { next, step: isReversed ? -1 : 1 })
    }
    return element
  }

  #openInWriter(tag: BeginTag, writer: MarkdownWriter, apart: boolean): () => void {
    if (tag.name === 'li') return openItem(writer, this.#itemMark(tag))
    if (tag.name === 'main' || tag.name === 'article') return this.#openRegion(tag.name, writer)
    return openInWriter(tag, writer, apart)
  }

  /** The text of a page is in its `main`, or in its only `article`. @returns a function that leaves the region */
  #openRegion(name: 'main' | 'article', writer: MarkdownWriter): () => void {
    const before = writer.region
    const isInner = before === 'main' || (before === 'article' && name === 'article')
    writer.openRegion(isInner ? before : name)
    if (name === 'article' && !isInner && writer === this.#page) this.#articles++
    return () => writer.closeRegion(before)
  }

  #isAround(name: string): boolean {
    if (this.#whole) return false
    if (name === 'nav') return true
    if (CONTROLS.has(name)) return name !== 'button' || !this.#isWithinAny(HOLD_BUTTONS)
    return AROUND.has(name) && !this.#isWithinAny(SECTIONS)
  }

  #isWithinAny(names: ReadonlySet<string>): boolean {
    return [...names].some((name) => this.#within(name))
  }

  #within(name: string): boolean {
    return (this.#count.get(name) ?? 0) > 0
  }

  #inSvgText(): boolean {
    return this.#within('text') || this.#within('foreignobject')
  }

  /** The marker of an item in the innermost list. */
  #itemMark(tag: BeginTag): string {
    const list = this.#open[this.#lastIndex((name) => LISTS.has(name))]
    const numbering = list && this.#numbering.get(list)
    if (numbering === undefined) return '- '
    const number = numberOf(tag, 'value', numbering.next)
    numbering.next = number + numbering.step
    return Number.isNaN(number) ? '- ' : `${number}. `
  }

  #push(element: OpenElement): OpenElement {
    this.#open.push(element)
    this.#count.set(element.name, (this.#count.get(element.name) ?? 0) + 1)
    return element
  }

  /** Ends elements until so many are open. */
  #popTo(count: number): void {
    while (this.#open.length > count) {
      const element = this.#open.pop()!
      element.open = false
      this.#count.set(element.name, this.#count.get(element.name)! - 1)
      element.atEnd()
    }
  }

  /** Ends the innermost such element, unless one of `boundary` is within it. */
  #endInnermost(matches: (name: string) => boolean, boundary?: (name: string) => boolean): void {
    const at = this.#lastIndex(matches, boundary)
    if (at >= 0) this.#popTo(at)
  }

  #lastIndex(matches: (name: string) => boolean, boundary: (name: string) => boolean = never): number {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      this.#steps++
      const { name } = this.#open[at]!
      if (matches(name)) return at
      if (boundary(name)) return -1
    }
    return -1
  }

  /** Ends elements that cannot stay open at a start tag of this name. */
  #endWhatEndsHere(name: string): void {
    if (ENDS_FOREIGN.has(name) && (this.#within('svg') || this.#within('math'))) {
      this.#endInnermost(
        (open) => open === 'svg' || open === 'math',
        (open) => INTEGRATION_POINTS.has(open),
      )
    }
    if (ENDS_PARAGRAPH.has(name) && this.#within('p')) {
      this.#endInnermost(
        (open) => open === 'p',
        (open) => BUTTON_SCOPE.has(open),
      )
    }
    const innermost = this.#open.at(-1)?.name ?? ''
    if (HEADINGS.has(name) && HEADINGS.has(innermost)) this.#popTo(this.#open.length - 1)
    if (name === 'table' && TABLE_PARTS.has(innermost)) this.#endInnermost((open) => open === 'table')
    this.#endOwnKind(name)
    if (TABLE_STRUCTURE.has(name) && this.#within('table')) {
      // Other content directly in a table is moved before it.
      const at = this.#lastIndex(
        (open) => TABLE_PARTS.has(open),
        (open) => CELL_LIKE.has(open),
      )
      if (at >= 0) this.#popTo(at + 1)
    }
  }

  #endOwnKind(name: string): void {
    const own = ENDS_OWN_KIND.get(name)
    if (own === undefined || !this.#isWithinAny(own.ends)) return
    let outermost = -1
    for (let at = this.#open.length - 1; at >= 0; at--) {
      this.#steps++
      const { name: open } = this.#open[at]!
      if (own.ends.has(open)) outermost = at
      else if (own.within.has(open)) break
    }
    if (outermost >= 0) this.#popTo(outermost)
  }

  /** Parent of the next element or text: the innermost open one, or that of the table if it may not be there. */
  #parentOf(name: string): OpenElement | undefined {
    const top = this.#open.at(-1)
    if (top === undefined || !TABLE_PARTS.has(top.name) || IN_TABLES.has(name)) return top
    const table = this.#lastIndex((open) => open === 'table')
    return table < 0 ? top : this.#open[table - 1]
  }
}

const nothing = (): void => undefined
const never = (): boolean => false
const LISTS = names('ol ul menu dir')
const HOLD_BUTTONS: ReadonlySet<string> = new Set([...HEADINGS, 'summary', 'dt'])
const INTEGRATION_POINTS = names('title foreignobject desc mtext mi mo mn ms')
const BUTTON_SCOPE = names('html table td th caption object template button')
const TABLE_STRUCTURE = names('caption colgroup col tbody tfoot thead tr td th')
const CELL_LIKE = names('td th caption template')
const IN_TABLES: ReadonlySet<string> = new Set([...TABLE_STRUCTURE, ...names('script style template form')])

/** Opens the Markdown construct of an element. @returns a function that closes it */
function openInWriter(tag: BeginTag, writer: MarkdownWriter, apart: boolean): () => void {
  const { name } = tag
  if (HEADINGS.has(name)) {
    writer.openHeading(Number(tag.attribute('level') ?? name[1]))
    return () => writer.closeHeading()
  }
  if (PREFORMATTED.has(name)) {
    writer.openPreformatted(languageOf(tag))
    return () => writer.closePreformatted()
  }
  if (CELLS.has(name)) {
    writer.openCell(spanOf(tag, 'colspan'), spanOf(tag, 'rowspan'))
    return () => writer.closeCell()
  }
  if (INLINE_CODE.has(name)) {
    writer.openCode(languageOf(tag))
    return () => writer.closeCode()
  }
  switch (name) {
    case 'table':
      writer.openTable()
      return () => writer.closeTable()
    case 'tr':
      writer.openRow()
      return () => writer.endBlock()
    case 'ul':
    case 'ol':
    case 'dl':
    case 'menu':
    case 'dir':
      writer.openGroup()
      return () => writer.closeGroup()
    case 'blockquote':
      writer.openContainer('> ', '> ')
      return () => writer.closeContainer()
    case 'dd':
      writer.openContainer(': ', '  ')
      return () => writer.closeContainer()
    case 'p':
      writer.openBlock()
      return () => writer.endBlock()
    case 'q':
      writer.text('"')
      return () => writer.text('"')
    case 'text':
      writer.text(' ')
      return () => writer.text(' ')
    default:
      if (!apart && !BLOCKS.has(name)) return nothing
      writer.endBlock()
      return () => writer.endBlock()
  }
}

function isNeverShown(tag: BeginTag): boolean {
  if (tag.name === 'dialog') return tag.attribute('open') === undefined
  return NEVER_SHOWN.has(tag.name)
}

function openItem(writer: MarkdownWriter, mark: string): () => void {
  writer.openContainer(mark, ' '.repeat(mark.length))
  return () => writer.closeContainer()
}

/** Properties of a style that SVG also has as attributes. */
const SVG_ATTRIBUTES = 'display visibility opacity font-size fill fill-opacity stroke stroke-opacity style'.split(' ')
/** Parts of a drawing that are not rendered where they stand. */
const UNDRAWN = names('defs symbol')

/** @param inSvg whether it is in a drawing, where a length may be enlarged */
function sightOf(tag: BeginTag, around: Sight, inSvg: boolean): Sight {
  const { name } = tag
  const written = inSvg ? svgStyleOf(tag) : tag.attribute('style')
  const hidden = tag.attribute('hidden')
  // Many pages hide their whole body until scripts have run, so that is ignored.
  if (name === 'html' || name === 'body') return around
  const named = tag.attribute('class') !== undefined || tag.attribute('id') !== undefined
  // Style sheets may set size and colour of any named element, so these do not inherit an invisible font.
  const letters = named && hasInvisibleLetters(around) && { fontPixels: 16, transparent: false }
  const drawn = inSvg && (around.drawn || name === 'text') && name !== 'foreignobject'
  const base = { ...around, ...letters, drawn, filled: around.filled || named, apart: false }
  if (written === undefined && hidden === undefined) return base
  const style = readInlineStyle(decodeHTMLAttribute(written ?? ''))
  const size = fontPixels(style, base)
  const byAttribute = hidden !== undefined && hidden.toLowerCase() !== 'until-found' && !style.displayed
  return {
    removed: around.removed || byAttribute || style.removed || (inSvg && UNDRAWN.has(name)),
    hidden: style.visibility === undefined ? around.hidden : style.visibility === 'hidden',
    fontPixels: inSvg && size > 0 ? base.fontPixels : size,
    transparent: style.transparent === undefined ? base.transparent : style.transparent && !named,
    drawn,
    filled: style.filled === undefined ? base.filled : style.filled || named,
    stroked: style.stroked ?? base.stroked,
    apart: style.apart,
  }
}

function svgStyleOf(tag: BeginTag): string {
  return SVG_ATTRIBUTES.flatMap((name) => {
    const value = tag.attribute(name)
    return value === undefined ? [] : [name === 'style' ? value : `${name}:${value}`]
  }).join(';')
}

function fontPixels({ fontSize }: InlineStyle, around: Sight): number {
  if (fontSize === undefined) return around.fontPixels
  return 'pixels' in fontSize ? fontSize.pixels : fontSize.times * around.fontPixels
}

function isSeen(sight: Sight): boolean {
  return !sight.removed && !sight.hidden && !hasInvisibleLetters(sight)
}

/** Whether text has no size or no colour. */
function hasInvisibleLetters({ transparent, fontPixels, drawn, filled, stroked }: Sight): boolean {
  return (drawn ? !filled && !stroked : transparent) || fontPixels <= SMALLEST_FONT
}

function spanOf(tag: BeginTag, name: 'colspan' | 'rowspan'): number {
  return Math.min(Math.max(Number.parseInt(tag.attribute(name) ?? '', 10) || 1, 1), 1000)
}

function numberOf(tag: BeginTag, name: 'start' | 'value', otherwise: number): number {
  const number = Number.parseInt(tag.attribute(name) ?? '', 10)
  return Number.isSafeInteger(number) ? number : otherwise
}

function languageOf(tag: BeginTag): string {
  return /(?:^|\s)lang(?:uage)?-([\w+#-]{1,20})(?:\s|$)/.exec(tag.attribute('class') ?? '')?.[1] ?? ''
}

/** The `main` of a page; else its only article; else everything that is not around the text; else everything. */
function chosen(
  page: readonly PlacedBlock[],
  around: readonly PlacedBlock[],
  articles: number,
): readonly MarkdownBlock[] {
  const choices = [
    page.filter(({ region }) => region === 'main'),
    articles === 1 ? page.filter(({ region }) => region === 'article') : [],
    page,
  ]
  const found = choices.find((blocks) => blocks.some(({ block }) => block.kind === 'text'))
  return (found ?? [...page, ...around]).map(({ block }) => block)
}
