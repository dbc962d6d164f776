/**
 * The blocks that a Markdown document consists of, found line by line in one pass. A full parser reads what is within
 * them as well, in time that rises with the square of a list's length; here it rises with the text's.
 *
 * @see https://spec.commonmark.org/0.31.2/#appendix-a-parsing-strategy
 */
import { RagGateError } from '../../errors.ts'
import { definitionsOf, type Definitions } from './definitions.ts'
import { closesFence, startOf, type Container, type Leaf, type Start } from './line-starts.ts'

/** A block of the document itself; what is within a list or a quote is part of it. */
export interface MarkdownBlock {
  /** `text` is everything that is read as it is written: paragraphs, lists, quotes, code. */
  readonly kind: 'text' | 'heading' | 'rule' | 'html'
  /** Where it stands, with its indentation. */
  readonly from: number
  readonly to: number
  /** Of a heading, 1 to 6; else 0. */
  readonly depth: number
}

/** A document in blocks. */
export interface MarkdownBlocks {
  readonly blocks: readonly MarkdownBlock[]
  /** Names of the links that it defines, by `labelOf`. */
  readonly labels: ReadonlySet<string>
}

/** Lists and quotes within one another; each line asks all that are open. */
export const MAX_NESTING = 100

const NOTHING: Leaf = { kind: 'none' }

/** A block that may still grow. */
interface OpenBlock {
  kind: MarkdownBlock['kind'] | 'paragraph'
  readonly from: number
  to: number
  depth: number
  /** Of a list, what its items begin with. */
  readonly mark: string | undefined
}

/**
 * Finds the blocks of a document.
 *
 * @throws `too_deep` when lists and quotes nest more than 100 levels
 */
export function markdownBlocks(text: string): MarkdownBlocks {
  const scan = new BlockScan(text)
  const lines = /[^\r\n]*(?:\r\n|\n|\r|$)/y
  for (let from = 0; from < text.length; from = lines.lastIndex) {
    const [whole] = lines.exec(text)!
    scan.take(whole.replace(/[\r\n]+$/, ''), from)
  }
  return scan.end()
}

class BlockScan {
  readonly #text: string
  readonly #blocks: MarkdownBlock[] = []
  readonly #labels = new Set<string>()
  #containers: Container[] = []
  #leaf: Leaf = NOTHING
  #open: OpenBlock | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** Takes the next line. @param written without its end */
  take(written: string, from: number): void {
    const to = from + written.length
    const line = written.includes('\t') ? tabsExpanded(written) : written
    const reached = this.#continued(line)
    const isWithin = reached.containers === this.#containers.length
    if (isWithin && this.#continuesRaw(line, reached.at, to)) return
    if (line.slice(reached.at).trim() === '') this.#takeBlank(reached.containers, line, to)
    else this.#takeText(line, reached, from, to)
  }

  end(): MarkdownBlocks {
    this.#finish()
    return { blocks: this.#blocks, labels: this.#labels }
  }

  /** How many of the open containers a line is within, and where it goes on after their marks. */
  #continued(line: string): { readonly containers: number; readonly at: number } {
    const isBlank = line.trim() === ''
    let at = 0
    let containers = 0
    for (const container of this.#containers) {
      const next =
        isBlank && container.kind === 'item' ? (container.empty ? undefined : at) : inside(container, line, at)
      if (next === undefined) break
      at = next
      containers++
    }
    return { containers, at }
  }

  /** Goes on with code between fences or with HTML, in which nothing else begins. @returns whether it did */
  #continuesRaw(line: string, at: number, to: number): boolean {
    const leaf = this.#leaf
    if (leaf.kind === 'fence') {
      const first = firstAfterSpace(line, at)
      if (first - at < 4 && closesFence(line, first, leaf.mark)) this.#leaf = NOTHING
    } else if (leaf.kind === 'html') {
      const isBlank = line.slice(at).trim() === ''
      if (leaf.end === undefined && isBlank) return false
      if (leaf.end?.test(line.slice(at)) === true) this.#leaf = NOTHING
    } else return false
    this.#grow(to)
    return true
  }

  #takeBlank(containers: number, line: string, to: number): void {
    if (containers < this.#containers.length) {
      this.#containers.length = containers
      this.#leaf = NOTHING
    }
    if (this.#leaf.kind !== 'code') this.#leaf = NOTHING
    // An empty line of a quote is part of it.
    if (line.trim() !== '') this.#grow(to)
  }

  #takeText(
    line: string,
    reached: { readonly containers: number; readonly at: number },
    from: number,
    to: number,
  ): void {
    let { at, containers } = reached
    let isWithin = containers === this.#containers.length
    for (;;) {
      const first = firstAfterSpace(line, at)
      if (first - at > 3) return this.#takeIndented(containers, from, to)
      const start = startOf(line, first, first - at, this.#leaf, isWithin)
      if (start?.kind !== 'container') return this.#takeLeaf(start, line.slice(first), containers, from, to)
      this.#enter(start.container, containers, from)
      containers++
      at = start.after
      isWithin = true
      if (line.slice(at).trim() === '') return this.#grow(to)
    }
  }

  /** Code, unless a paragraph goes on. */
  #takeIndented(containers: number, from: number, to: number): void {
    if (this.#leaf.kind === 'paragraph') return this.#grow(to)
    const continues = this.#leaf.kind === 'code' && containers === this.#containers.length
    if (!continues) this.#begin('text', containers, from)
    this.#leaf = { kind: 'code' }
    this.#grow(to)
  }

  #takeLeaf(
    start: Exclude<Start, { kind: 'container' }> | undefined,
    rest: string,
    containers: number,
    from: number,
    to: number,
  ): void {
    if (start === undefined) {
      // Text that is not within what is open still goes on with its paragraph.
      if (this.#leaf.kind !== 'paragraph') this.#begin('paragraph', containers, from)
      this.#leaf = { kind: 'paragraph' }
    } else if (start.kind === 'underline') {
      this.#underline(start.depth, rest, from, to)
    } else if (start.kind === 'fence' || start.kind === 'html') {
      this.#begin(start.kind === 'fence' ? 'text' : 'html', containers, from)
      const ended = start.leaf.kind === 'html' && start.leaf.end?.test(rest) === true
      this.#leaf = ended ? NOTHING : start.leaf
    } else {
      this.#begin(start.kind, containers, from, start.kind === 'heading' ? start.depth : 0)
      this.#leaf = NOTHING
    }
    this.#grow(to)
  }

  /** Makes a heading of the paragraph above, if it has text beside definitions; within a container it is just text. */
  #underline(depth: 1 | 2, line: string, from: number, to: number): void {
    const open = this.#open
    if (this.#containers.length === 0 && open !== undefined) {
      const { end } = this.#definitionsOf(open)
      if (this.#text.slice(open.from + end, open.to).trim() !== '') {
        open.kind = 'heading'
        open.depth = depth
      } else if (line.startsWith('---')) this.#begin('rule', 0, from)
      else return
    }
    this.#leaf = NOTHING
    this.#grow(to)
  }

  /** Opens a list item or a quote in the place of what was open there. */
  #enter(container: Container, containers: number, from: number): void {
    if (containers === MAX_NESTING) {
      throw new RagGateError('too_deep', `Lists and quotes may nest at most ${MAX_NESTING} levels`)
    }
    const mark = container.kind === 'item' ? container.mark : undefined
    const goesOn = containers === 0 && mark !== undefined && this.#open?.mark === mark
    if (goesOn) this.#containers.length = 0
    else this.#begin('text', containers, from, 0, mark)
    this.#containers.push(container)
    this.#leaf = NOTHING
  }

  /** Closes what the line is not within; a block of the document itself begins here when nothing is left open. */
  #begin(kind: OpenBlock['kind'], containers: number, from: number, depth = 0, mark?: string): void {
    this.#containers.length = containers
    if (containers > 0) return
    this.#finish()
    this.#open = { kind, from, to: from, depth, mark }
  }

  #grow(to: number): void {
    if (this.#open !== undefined) this.#open.to = to
  }

  #finish(): void {
    const open = this.#open
    if (open === undefined) return
    const { kind, from, to, depth } = open
    this.#open = undefined
    if (kind !== 'paragraph' && kind !== 'heading') {
      this.#blocks.push({ kind, from, to, depth })
      return
    }
    const { labels, end } = this.#definitionsOf(open)
    for (const label of labels) this.#labels.add(label)
    if (from + end < to) this.#blocks.push({ kind: kind === 'heading' ? kind : 'text', from: from + end, to, depth })
  }

  #definitionsOf({ from, to }: OpenBlock): Definitions {
    const paragraph = this.#text.slice(from, to)
    return paragraph.trimStart().startsWith('[') ? definitionsOf(paragraph) : { labels: [], end: 0 }
  }
}

/** Where a line goes on within a container; `undefined` when it is not in it. */
function inside(container: Container, line: string, at: number): number | undefined {
  if (container.kind === 'item') {
    for (let column = at; column < at + container.width; column++) if (line[column] !== ' ') return undefined
    container.empty = false
    return at + container.width
  }
  let first = at
  while (first < at + 3 && line[first] === ' ') first++
  if (line[first] !== '>') return undefined
  return line[first + 1] === ' ' ? first + 2 : first + 1
}

function firstAfterSpace(line: string, at: number): number {
  let first = at
  while (line[first] === ' ') first++
  return first
}

/** Tabs stop at every fourth column. Only columns are read from the result, so that it may be longer than the line. */
function tabsExpanded(line: string): string {
  let column = 0
  return line.replaceAll(/[^\t]+|\t/g, (piece) => {
    const shown = piece === '\t' ? ' '.repeat(4 - (column % 4)) : piece
    column += shown.length
    return shown
  })
}
