/** HTML as blocks of Markdown, over the runtime's own streaming `HTMLRewriter`: what its readers see, with its structure. */
import { RagGateError } from 'hono-rag-gate/errors'
import type { MarkdownBlock } from './blocks.ts'
import { NOTICED, VOID } from './html/elements.ts'
import { PageReader } from './html/page-reader.ts'
import { slicesOf } from './html/slices.ts'
import type { ReadHtmlOptions } from './html-within.ts'

/** What became of a page. */
export interface MarkdownOfHtml {
  /** Text of its `title`; undefined without one. */
  readonly title: string | undefined
  readonly blocks: readonly MarkdownBlock[]
  /** Whether text was left out because its own attributes hide it. */
  readonly hiddenText: boolean
  /** Steps of work that it took; see `SplitDocument`. */
  readonly work: number
}

/** Tags and texts of one page. */
const MAX_EVENTS = 400_000
/** Elements one in the other. */
const MAX_DEPTH = 1000
/** Of bytes that are passed over, and of open elements that are gone over, how many make a step. */
const BYTES_A_STEP = 256
const LOOKS_A_STEP = 32

/** The part of the runtime's `HTMLRewriter` that is used here; that of workerd and of Bun have it. */
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
 * Reads a page as it streams through the tokenizer, in time that rises with its length alone, and lets others have their
 * turn on the way. Headings, paragraphs, lists, quotes, tables and code keep their form; links and images lose their
 * addresses, and emphasis its marks. `main`, or the only `article`, alone is read where there is one; else all but
 * navigation, controls, and the header, footer and asides of the page itself; all of it where nothing else has text.
 *
 * Left out are scripts, style sheets, templates, what is shown without scripts only, and what can be known from the
 * elements themselves to be invisible: the attribute `hidden` (but `until-found`), and inline styles of `display: none`,
 * `visibility`, letters of no size or colour, `opacity: 0` (unless the style also says how it fades in), clipping to
 * nothing, and positions thousands of pixels off the screen. Style sheets are not read. Text that may be seen is kept.
 *
 * @throws `document_too_complex` for more than 400,000 tags and pieces of text, or more than the tokenizer can hold
 *   (some 16,000 elements that are never ended); `too_deep` for more than 1,000 elements one in the other;
 *   `config_invalid` in a runtime without `HTMLRewriter`, such as Node
 */
export async function htmlToMarkdown(html: string, { whole = false }: ReadHtmlOptions = {}): Promise<MarkdownOfHtml> {
  const rewriter = createRewriter()
  const reader = new PageReader(whole)
  const watch = new Watch(reader)
  try {
    await passThrough(rewriter, forTokenizer(html), reader, watch)
  } catch (thrown) {
    // It turns down what it cannot hold.
    throw new RagGateError('document_too_complex', 'The HTML is more than can be held at once', { cause: thrown })
  }
  if (watch.failed) throw watch.failure
  const work = watch.events + Math.ceil(html.length / BYTES_A_STEP) + Math.ceil(reader.steps / LOOKS_A_STEP)
  return { ...reader.finish(), work }
}

/**
 * Counts what the tokenizer reports, and keeps what goes wrong with it: the tokenizer would change what is thrown through
 * it, and the runtime would log it. What follows a failure is passed over.
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

/** Elements whose text is shown as it is written: a reference to a character in it would be seen. */
const SHOWN_AS_WRITTEN = /<(?:xmp|plaintext)\b/i

/** A title, which is shown as it is written, or a tag that a browser reads in another way than the tokenizer. */
const READ_OTHERWISE = /<title[^]{0,200}?<\/title|<(\/?)(h[1-6]|select|br|p)(?=[\s/>])/gi

/**
 * What begins nothing is text: as a reference it does not part the text, each piece of which takes microseconds. The end of
 * any heading ends a heading, `</br>` is a line break, `</p>` without a paragraph an empty one, and `select` may hold what the
 * tokenizer would turn down in it.
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
    throw new RagGateError('config_invalid', 'HTML is read by HTMLRewriter, which this runtime does not have')
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
  const name = element.tagName.toLowerCase().replace(/^x-(?=select$)/, '')
  const opened = reader.begin({ name, attribute: (of) => element.getAttribute(of) ?? undefined })
  if (opened === undefined) return
  let endsItself = VOID.has(name)
  try {
    if (!endsItself) element.onEndTag(() => watch.handle(() => reader.end(opened)))
  } catch {
    // An element of SVG or MathML that has no end tag to wait for.
    endsItself = true
  }
  if (endsItself) reader.end(opened)
}

/**
 * Only what leaves a trace is asked for: each tag and each text costs some microseconds. Where letters may have no size or
 * colour, every element may give them one.
 */
function selectorFor(html: string): string {
  if (/font(?:-size)?\s*:\s*(?:[\w-]+\s+){0,4}(?:[.0]|1px)|transparent|#(?:[\da-f]{3}0|[\da-f]{6}00)\b/i.test(html))
    return '*'
  return [...NOTICED, 'x-select', '[hidden]', '[style]', 'svg *', 'math *'].join(',')
}
