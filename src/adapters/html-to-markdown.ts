/** HTML as Markdown, over the parsers of the unified project: what its readers see, with its structure. */
import type { Element, Nodes, Properties } from 'hast'
import { fromHtml } from 'hast-util-from-html'
import { toMdast } from 'hast-util-to-mdast'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { toMarkdown } from 'mdast-util-to-markdown'
import { RagGateError } from '../errors.ts'

/** What became of a page. */
export interface MarkdownOfHtml {
  readonly markdown: string
  /** Whether elements with text were left out because nobody sees them. */
  readonly hiddenText: boolean
}

/** Elements around the text of a page, or none of it. */
const LEFT_OUT = new Set(['nav', 'header', 'footer', 'aside', 'form', 'button', 'dialog', 'noscript'])

/** Never text, so nothing is hidden in them. */
const MACHINERY = new Set(['head', 'script', 'style', 'template', 'svg', 'iframe', 'object', 'canvas'])

/** Ways of a style attribute to show nothing. Style sheets are not read: what they hide is not noticed. */
const INVISIBLE_STYLE =
  /(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?<![\w-])opacity\s*:\s*0(?:\.0*)?\s*(?:;|$)|font-size\s*:\s*0|(?<![\w-])color\s*:\s*(?:transparent|white|#fff(?:fff)?\b|rgba?\(\s*255\s*,\s*255\s*,\s*255))/i

/**
 * Reads a page. Scripts, navigation and whatever its own attributes hide (`hidden`, an inline style that shows nothing,
 * white writing) are left out; `main`, or the only `article`, alone is read where there is one. Links and images lose their
 * addresses, tables, lists and code keep their form.
 *
 * @throws `too_deep` when elements nest beyond what the parsers can follow, some thousands
 */
export function htmlToMarkdown(html: string): MarkdownOfHtml {
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
  const noticed = { hiddenText: false }
  const body = mainPart(tree) ?? tree
  prune(body, noticed)
  const markdown = toMarkdown(
    toMdast(body, {
      document: true,
      handlers: {
        a: (state, node) => state.all(node),
        img: (_state, node) => ({ type: 'text', value: textOf(node.properties, 'alt') }),
      },
    }),
    { extensions: [gfmTableToMarkdown()], bullet: '-' },
  )
  return { markdown, hiddenText: noticed.hiddenText }
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

/** Takes out of a tree what is not read, and notes what was hidden. The tree was made here, so it may be changed. */
function prune(node: Nodes, noticed: { hiddenText: boolean }): void {
  if (!('children' in node)) return
  // Every child that stays was a child before.
  node.children = (node.children as Nodes[]).filter((child) => {
    if (child.type === 'comment') return false
    if (child.type !== 'element') return true
    if (MACHINERY.has(child.tagName)) return false
    if (isHidden(child)) {
      noticed.hiddenText ||= hasText(child)
      return false
    }
    if (LEFT_OUT.has(child.tagName)) return false
    prune(child, noticed)
    return true
  }) as typeof node.children
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
