/** HTML as Markdown, over the parsers of the unified project: what its readers see, with its structure. */
import type { Element, Nodes, Properties } from 'hast'
import { fromHtml } from 'hast-util-from-html'
import { toMdast } from 'hast-util-to-mdast'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { defaultHandlers, toMarkdown, type Handle } from 'mdast-util-to-markdown'
import { RagGateError } from '../errors.ts'
import { shortenTexts } from './markdown/short-texts.ts'
import { cellsOf } from './markdown/table-size.ts'

/** What became of a page. */
export interface MarkdownOfHtml {
  readonly markdown: string
  /** Whether elements with text were left out because nobody sees them. */
  readonly hiddenText: boolean
}

/** What was seen on the way through a page. */
interface Noticed {
  hiddenText: boolean
  depths: number
}

/** Elements around the text of a page, or none of it. */
const LEFT_OUT = new Set([
  'nav',
  'header',
  'footer',
  'aside',
  'form',
  'button',
  'input',
  'select',
  'textarea',
  'dialog',
  'noscript',
])

/** Never text, so nothing is hidden in them. */
const MACHINERY = new Set(['head', 'script', 'style', 'template', 'svg', 'iframe', 'object', 'canvas'])

/** Ways of a style attribute to show nothing. Style sheets are not read: what they hide is not noticed. */
const INVISIBLE_STYLE =
  /(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?<![\w-])opacity\s*:\s*0(?:\.0*)?\s*(?:;|$)|font-size\s*:\s*0|(?<![\w-])color\s*:\s*(?:transparent|white|#fff(?:fff)?\b|rgba?\(\s*255\s*,\s*255\s*,\s*255))/i

/** Elements and comments of one page: the parsers take some seconds for so many, and more than twice that for twice as many. */
const MAX_ELEMENTS = 50_000
const MAX_TABLE_CELLS = 100_000
/** What is above each element, added up: every level goes over all that it holds once more. */
const MAX_DEPTHS = 2_000_000

/** Elements within a line that leave no trace in Markdown, which has no way to strike text out either. */
const TRANSPARENT = new Set(
  (
    'a abbr acronym bdi bdo big blink cite data del dfn font ins label map marquee meter nobr output progress rb rbc rp rt ' +
    'rtc ruby s slot small span strike sub sup time'
  ).split(' '),
)

/**
 * Writers of what contains more, where broken HTML can put it within a line. The library writes what comes next once more
 * to see how it begins, level by level: in time that doubles with each of them.
 */
const WRITERS = Object.fromEntries(
  (['paragraph', 'heading', 'blockquote', 'list', 'listItem'] as const).map((type) => {
    // The library calls each with nodes of its own type.
    const write = defaultHandlers[type] as Handle
    return [type, Object.assign(((...given) => write(...given)) satisfies Handle, { peek: () => '' })]
  }),
)

/**
 * Reads a page. Scripts, navigation and whatever its own attributes hide (`hidden`, an inline style that shows nothing,
 * white writing) are left out; `main`, or the only `article`, alone is read where there is one. Links and images lose their
 * addresses, tables, lists and code keep their form.
 *
 * @throws `document_too_complex` for more than 50,000 elements and comments, two million levels of nesting added up over
 *   them, 100,000 cells in a table, or thousands of punctuation marks in a row; `too_deep` when elements nest beyond what
 *   the parsers can follow, about a thousand
 */
export function htmlToMarkdown(html: string): MarkdownOfHtml {
  requireFewElements(html)
  try {
    return convert(html)
  } catch (thrown) {
    // The parsers go down by recursion.
    if (!(thrown instanceof RangeError)) throw thrown
    throw new RagGateError('too_deep', 'The HTML nests too deeply', { cause: thrown })
  }
}

function convert(html: string): MarkdownOfHtml {
  const tree = fromHtml(html)
  const noticed = { hiddenText: false, depths: 0 }
  const body = mainPart(tree) ?? tree
  prune(body, noticed, 0)
  const content = toMdast(body, { document: true })
  shortenTexts(content)
  const markdown = toMarkdown(content, { extensions: [gfmTableToMarkdown()], handlers: WRITERS, bullet: '-' })
  return { markdown, hiddenText: noticed.hiddenText }
}

/** Counts what opens an element or a comment, in scripts too, before anything is parsed. */
function requireFewElements(html: string): void {
  const opening = /<[a-z!?]/gi
  for (let count = 0; opening.test(html); count++) {
    if (count < MAX_ELEMENTS) continue
    throw new RagGateError('document_too_complex', `HTML may have at most ${MAX_ELEMENTS} elements`)
  }
}

/** The text of a page, where the page says so: its `main`, or its `article` if it has but one. */
function mainPart(tree: Nodes): Element | undefined {
  const [main] = visible(tree, 'main')
  if (main !== undefined) return main
  const articles = visible(tree, 'article')
  return articles.length === 1 ? articles[0] : undefined
}

/** Elements of a name that a reader can see; those within another of them, or in what is left out anyway, are not looked for. */
function visible(tree: Nodes, name: string): Element[] {
  const found: Element[] = []
  const open: Nodes[] = [tree]
  for (const node of open) {
    if (!('children' in node)) continue
    for (const child of node.children) {
      if (child.type !== 'element' || isLeftOut(child)) continue
      if (child.tagName === name) found.push(child)
      else open.push(child)
    }
  }
  return found
}

function isLeftOut(element: Element): boolean {
  return MACHINERY.has(element.tagName) || LEFT_OUT.has(element.tagName) || isHidden(element)
}

/**
 * Takes out of a tree what is not read, and notes what was hidden. The tree was made here, so it may be changed.
 *
 * @param depth elements above
 */
function prune(node: Nodes, noticed: Noticed, depth: number): void {
  if (!('children' in node)) return
  noticed.depths += depth
  if (noticed.depths > MAX_DEPTHS) {
    throw new RagGateError(
      'document_too_complex',
      `HTML may nest at most ${MAX_DEPTHS} levels, added up over its elements`,
    )
  }
  const kept: Nodes[] = []
  for (const child of node.children) {
    if (child.type === 'comment') continue
    if (child.type !== 'element') kept.push(child)
    else if (isRead(child, noticed)) {
      prune(child, noticed, depth + 1)
      for (const inner of withoutTraces(child)) kept.push(inner)
    }
  }
  // What stays was a child before, or was within one of the elements that may stand anywhere in text.
  node.children = joined(kept) as typeof node.children
  if (node.type === 'element' && node.tagName === 'table' && cellsOf(node) > MAX_TABLE_CELLS) {
    throw new RagGateError('document_too_complex', `A table may have at most ${MAX_TABLE_CELLS} cells`)
  }
}

function isRead(element: Element, noticed: Noticed): boolean {
  if (MACHINERY.has(element.tagName)) return false
  if (isHidden(element)) {
    noticed.hiddenText ||= hasText(element)
    return false
  }
  return !LEFT_OUT.has(element.tagName)
}

/** An element as it is to be written; a link is its text, an image what it is described by. */
function withoutTraces(element: Element): readonly Nodes[] {
  if (element.tagName === 'img') return [{ type: 'text', value: textOf(element.properties, 'alt') }]
  if (element.tagName === 'q') return [QUOTE, ...element.children, QUOTE]
  return TRANSPARENT.has(element.tagName) ? element.children : [element]
}

const QUOTE: Nodes = { type: 'text', value: '"' }

/** Neighbouring texts made one: the parsers would join them one by one, copying all that came before each time. */
function joined(nodes: readonly Nodes[]): Nodes[] {
  const found: Nodes[] = []
  let run: string[] = []
  const end = (): void => {
    if (run.length > 0) found.push({ type: 'text', value: run.join('') })
    run = []
  }
  for (const node of nodes) {
    if (node.type === 'text') run.push(node.value)
    else {
      end()
      found.push(node)
    }
  }
  end()
  return found
}

function isHidden({ properties }: Element): boolean {
  return properties['hidden'] === true || INVISIBLE_STYLE.test(textOf(properties, 'style'))
}

function hasText(node: Nodes): boolean {
  if (node.type === 'text') return node.value.trim() !== ''
  return 'children' in node && node.children.some(hasText)
}

function textOf(properties: Properties, name: string): string {
  const value = properties[name]
  return typeof value === 'string' ? value : ''
}
