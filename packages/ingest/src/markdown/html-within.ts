/** Reads HTML within a Markdown document like a browser: visible content becomes text, hidden content is dropped. */
import type { MarkdownBlock, ReadMarkdown, WrittenBlock } from './blocks.ts'

/** Converted HTML. */
export interface HtmlInBlocks {
  readonly title?: string | undefined
  readonly blocks: readonly MarkdownBlock[]
  readonly hiddenText: boolean
  /** Work in steps; see `SplitDocument`. */
  readonly work: number
}

/** Options of a `ReadHtml` function. */
export interface ReadHtmlOptions {
  /**
   * Whether everything visible is read, without leaving out what surrounds a page's text.
   *
   * @default false
   */
  readonly whole?: boolean
}

/** Converts HTML to Markdown. */
export type ReadHtml = (html: string, options?: ReadHtmlOptions) => Promise<HtmlInBlocks>

/** A placeholder for Markdown while the HTML is read, between private-use characters. */
const STAND_IN = /\ue000(\d{1,7})\ue001/g

/**
 * Reads the HTML of a document as a whole, so that an element may contain, and hide, Markdown blocks: `<details>`, a
 * blank line, a list, `</details>`.
 *
 * @param read without it HTML is kept as written, except for comments
 */
export async function readHtmlWithin(
  { blocks, work }: ReadMarkdown,
  read: ReadHtml | undefined,
): Promise<Omit<HtmlInBlocks, 'title'>> {
  if (read === undefined || blocks.every(({ kind }) => kind !== 'html')) {
    return { blocks: blocks.flatMap(asWritten), hiddenText: false, work }
  }
  const kept: (readonly MarkdownBlock[])[] = []
  const standIn = (held: readonly MarkdownBlock[]): string => `\ue000${kept.push(held) - 1}\ue001`
  const page: string[] = []
  let run: MarkdownBlock[] = []
  const endRun = (): void => {
    // What does not fit in a cell makes the table around it a layout table, as a list does.
    const around = /[\n|]/.test(run.map(textOf).join('\n')) ? 'ul' : 'div'
    if (run.length > 0) page.push(`<${around}>${standIn(run)}</${around}>`)
    run = []
  }
  for (const block of blocks) {
    if (block.kind !== 'html') {
      run.push(block)
      continue
    }
    endRun()
    const html = block.pieces.map((piece) =>
      'html' in piece ? piece.html.replaceAll(/[\ue000\ue001]/g, '') : standIn([{ kind: 'text', text: piece.text }]),
    )
    page.push(block.own ? html.join('') : `<div>${html.join('')}</div>`)
  }
  endRun()
  const shown = await read(page.join('\n'), { whole: true })
  const heldBy = (number: string): readonly MarkdownBlock[] => kept[Number(number)] ?? []
  return {
    blocks: shown.blocks.flatMap((block): readonly MarkdownBlock[] => {
      const written = block.kind === 'text' ? block.text : block.title
      const [whole, number = ''] = new RegExp(`^${STAND_IN.source}$`).exec(written) ?? []
      if (whole !== undefined && block.kind === 'text') return withoutEmpty(heldBy(number))
      const text = written.replaceAll(STAND_IN, (_, at: string) => heldBy(at).map(textOf).join('\n\n'))
      return withoutEmpty([block.kind === 'text' ? { kind: 'text', text } : { ...block, title: text.trim() }])
    }),
    hiddenText: shown.hiddenText,
    work: work + shown.work,
  }
}

function asWritten(block: WrittenBlock): readonly MarkdownBlock[] {
  if (block.kind !== 'html') return [block]
  if (block.heading !== undefined) return [block.heading]
  const text = block.pieces.map((piece) => ('text' in piece ? piece.text : withoutComments(piece.html))).join('')
  return withoutEmpty([{ kind: 'text', text }])
}

function withoutComments(html: string): string {
  return html
    .split('<!--')
    .map((part, at) => (at === 0 || !part.includes('-->') ? part : part.slice(part.indexOf('-->') + 3)))
    .join('')
}

/** Blocks without white space around their text. */
export function withoutEmpty(blocks: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  return blocks.flatMap((block): readonly MarkdownBlock[] => {
    if (block.kind === 'heading') return [block]
    const text = block.text.trim()
    return text === '' ? [] : [{ kind: 'text', text }]
  })
}

function textOf(block: MarkdownBlock): string {
  return block.kind === 'text' ? block.text : block.title
}
