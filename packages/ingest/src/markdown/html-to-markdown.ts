/** Converts HTML to Markdown blocks with the runtime's streaming `HTMLRewriter`: visible text with its structure. */
import { RagGateError } from 'hono-rag-gate/errors'
import type { MarkdownBlock } from './blocks.ts'
import { NOTICED } from './html/elements.ts'
import { PageReader, SELF_LINK } from './html/page-reader.ts'
import { slicesOf } from './html/slices.ts'
import type { ReadHtmlOptions } from './html-within.ts'

/** A converted page. */
export interface MarkdownOfHtml {
  /** Text of its `title`; `undefined` without one. */
  readonly title: string | undefined
  readonly blocks: readonly MarkdownBlock[]
  /** Whether text was left out because attributes hide it. */
  readonly hiddenText: boolean
  /** Work in steps; see `SplitDocument`. */
  readonly work: number
}

/** Maximum number of tags and text chunks per page. */
const MAX_EVENTS = 400_000
/** Maximum nesting of elements. */
const MAX_DEPTH = 1000
/** Number of skipped bytes, and of open elements searched, per step. */
const BYTES_A_STEP = 256
const LOOKS_A_STEP = 32

/** The part of `HTMLRewriter` that is used; available in workerd and Bun. */
interface Rewriter {
  on(selector: string, handlers: { element(element: RewriterElement): void }): Rewriter
  onDocument(handlers: { text(chunk: { readonly text: string; readonly lastInTextNode: boolean }): void }): Rewriter
  transform(response: Response): Response
}

interface RewriterElement {
  readonly tagName: string
  getAttribute(name: string): string | null
  onEndTag(handler: () => void): void
}

/**
 * Converts a page as it streams through the tokenizer, in linear time, yielding to the event loop. Headings,
 * paragraphs, lists, quotes, tables and code keep their form; URLs of links and images are dropped, and so are emphasis
 * and marks that link a heading to itself. If there is a `main` (also by `role`), or a single `article`, only that is
 * read; otherwise everything except navigation, controls, and the page's own header, footer and asides; if nothing else
 * has text, everything.
 *
 * Left out are scripts, style sheets, templates, `noscript`, and elements whose own attributes make them invisible:
 * `hidden` (except `until-found`), and inline styles with `display: none`, `visibility`, text without size or colour,
 * `opacity: 0` or `filter: opacity(0)` (unless the style also has a transition), clipping to nothing, and positions
 * thousands of pixels off the screen; in drawings, `defs`, `symbol`, and letters with neither fill nor stroke. Style
 * sheets are not evaluated. In doubt text is kept.
 *
 * @throws `document_too_complex` for more than 400,000 tags and text chunks, or more than the tokenizer can hold (about
 *   16,000 unclosed elements); `too_deep` for more than 1,000 nested elements; `config_invalid` in a runtime without
 *   `HTMLRewriter`, such as Node
 */
export async function htmlToMarkdown(html: string, { whole = false }: ReadHtmlOptions = {}): Promise<MarkdownOfHtml> {
  const rewriter = createRewriter()
  const reader = new PageReader(whole)
  const watch = new Watch(reader)
  try {
    await passThrough(rewriter, forTokenizer(html), reader, watch)
  } catch (thrown) {
    // The tokenizer throws beyond its memory limit.
    throw new RagGateError('document_too_complex', 'The HTML is too large', { cause: thrown })
  }
  if (watch.failed) throw watch.failure
  const work = watch.events + Math.ceil(html.length / BYTES_A_STEP) + Math.ceil(reader.steps / LOOKS_A_STEP)
  return { ...reader.finish(), work }
}

/**
 * Counts the tokenizer's events and catches errors in handlers, because the tokenizer would alter errors thrown through
 * it, and the runtime would log them. After an error, further events are ignored.
 */
class Watch {
  events = 0
  failed = false
  failure: unknown
  readonly #reader: PageReader

  constructor(reader: PageReader) {
    this.#reader = reader
  }

  handle(event: () => void): void {
    if (this.failed) return
    try {
      if (++this.events > MAX_EVENTS) {
        throw new RagGateError('document_too_complex', `HTML may have at most ${MAX_EVENTS} tags and pieces of text`)
      }
      event()
      if (this.#reader.depth > MAX_DEPTH) {
        throw new RagGateError('too_deep', `HTML may nest at most ${MAX_DEPTH} elements`)
      }
    } catch (thrown) {
      this.failed = true
      this.failure = thrown
    }
  }
}

/** Elements whose text is shown verbatim, so that an inserted character reference would be visible. */
const SHOWN_AS_WRITTEN = /<(?:xmp|plaintext)\b/i

/** A title, whose text is verbatim, or a tag that browsers parse differently from the tokenizer. */
const READ_OTHERWISE = /<title[^]{0,200}?<\/title|<(\/?)(h[1-6]|select|br|p)(?=[\s/>])/gi

/**
 * Rewrites HTML so that the tokenizer reads it like a browser. A `<` that starts nothing becomes `&lt;`, since it would
 * split the text into chunks that take microseconds each. Any heading's end tag ends a heading, `</br>` is a line
 * break, `</p>` without a paragraph an empty one, and `select` is renamed because the tokenizer rejects some of its
 * content.
 */
function forTokenizer(html: string): string {
  if (SHOWN_AS_WRITTEN.test(html)) return html
  let inParagraph = false
  return html
    .replaceAll(READ_OTHERWISE, (written: string, slash = '', name = '') => {
      const kind = name.toLowerCase()
      if (kind === '') return written
      if (kind === 'br') return '<br'
      if (kind === 'select') return `<${slash}x-select`
      if (kind !== 'p') return slash === '' ? `<h1 level="${kind[1]}"` : '</h1'
      const isStray = slash !== '' && !inParagraph
      inParagraph = slash === ''
      return isStray ? '<p></p' : written
    })
    .replaceAll(/<(?![a-z/!?])/gi, '&lt;')
}

function createRewriter(): Rewriter {
  const { HTMLRewriter } = globalThis as { readonly HTMLRewriter?: new () => Rewriter }
  if (HTMLRewriter === undefined) {
    throw new RagGateError('config_invalid', 'HTML needs HTMLRewriter, which this runtime lacks')
  }
  return new HTMLRewriter()
}

async function passThrough(rewriter: Rewriter, html: string, reader: PageReader, watch: Watch): Promise<void> {
  let text: string[] = []
  const transformed = rewriter
    .on(selectorFor(html), { element: (element) => watch.handle(() => begin(element, reader, watch)) })
    .onDocument({
      text: (chunk) =>
        watch.handle(() => {
          text.push(chunk.text)
          if (!chunk.lastInTextNode) return
          reader.text(text.join(''))
          text = []
        }),
    })
    .transform(
      new Response(
        slicesOf(html, () => watch.failed),
        { headers: { 'content-type': 'text/html; charset=utf-8' } },
      ),
    )
  await transformed.arrayBuffer()
}

function begin(element: RewriterElement, reader: PageReader, watch: Watch): void {
  const opened = reader.begin({ name: nameOf(element), attribute: (of) => element.getAttribute(of) ?? undefined })
  if (opened === undefined) return
  try {
    element.onEndTag(() => watch.handle(() => reader.end(opened)))
  } catch {
    // A void element has no end tag, and no self-closing one of SVG or MathML.
    reader.end(opened)
  }
}

/** The tag's name; of a `div` what its role makes of it, as in Sphinx; of a link within the page `SELF_LINK`. */
function nameOf(element: RewriterElement): string {
  const name = element.tagName.toLowerCase().replace(/^x-(?=select$)/, '')
  if (name === 'a' && element.getAttribute('href')?.startsWith('#')) return SELF_LINK
  const role = name === 'div' && element.getAttribute('role')
  if (role === 'main') return role
  return role === 'navigation' ? 'nav' : name
}

const INVISIBLE_LETTERS =
  /font(?:-size)?\s*:\s*(?:[\w-]+\s+){0,4}(?:[.0]|1px|\d%)|transparent|#(?:[\da-f]{3}0|[\da-f]{6}00)\b|[,/]\s*[.0]+%?\s*\)/i

/**
 * Selects only elements with an effect, because each event costs microseconds. If a style may make text invisible by
 * size or colour, all elements are selected, since each may make it visible again.
 */
function selectorFor(html: string): string {
  if (INVISIBLE_LETTERS.test(html)) return '*'
  return [...NOTICED, 'x-select', '[hidden]', '[style]', 'svg *', 'math *'].join(',')
}
