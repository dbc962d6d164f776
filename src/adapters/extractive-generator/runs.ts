/** The sentences of a passage that can be quoted: prose, in the order and company in which they stand. */
import { sentences } from '../../core/text/sentences.ts'
import { terms } from '../../core/text/terms.ts'
import { type PassageBlock, passageBlocks } from './passage-blocks.ts'

/** Sentences of prose that follow each other without anything between them. */
export interface Run {
  readonly sentences: readonly string[]
  /** Terms of the headings within the passage that stand above them. */
  readonly headings: ReadonlySet<string>
  /** Terms of the question that the document itself asks above them. */
  readonly asks: ReadonlySet<string>
  /** The list or code behind the last of them, as it stands. */
  readonly continued: string | undefined
}

/** Longest quote, characters, without a list or code behind it. */
export const MAX_QUOTE = 600
/** Longest list or code that is quoted behind its announcement. */
const MAX_CONTINUED = 700
const MAX_CONTINUED_LINES = 20

/** @param section the headings above the passage, joined by ` › ` */
export function runsOf(text: string, section: string | undefined): Run[] {
  const heading = section?.split(' › ').at(-1)
  const blocks = passageBlocks(text, heading)
  let above = underHeading(heading ?? '')
  const runs: Run[] = []
  for (const [at, block] of blocks.entries()) {
    if (block.kind === 'heading') above = underHeading(block.text)
    else if (block.kind === 'prose') {
      runs.push(...proseRuns(block.sentences, above, continuedBy(block.sentences.at(-1) ?? '', blocks.slice(at + 1))))
    } else if (block.kind === 'list') {
      for (const item of block.items) runs.push(...proseRuns(sentences(item), above, undefined))
    }
  }
  return runs
}

type Above = Pick<Run, 'headings' | 'asks'>

function underHeading(text: string): Above {
  const headings = new Set(terms(text))
  return { headings, asks: text.endsWith('?') ? headings : new Set() }
}

/** A question among the sentences is the heading of those behind it. What is no prose parts them. */
function proseRuns(all: readonly string[], outer: Above, continued: string | undefined): Run[] {
  const runs: Run[] = []
  let above = outer
  let run: string[] = []
  const end = (behind?: string): void => {
    if (run.length > 0) runs.push({ sentences: run, ...above, continued: behind })
    run = []
  }
  for (const sentence of all) {
    const asks = /^(.*?\?)[*_"”’)]*(?:\s|$)/.exec(sentence)?.[1]
    const rest =
      asks === undefined
        ? sentence
        : sentence
            .slice(asks.length)
            .replace(/^[*_"”’)]+/, '')
            .trim()
    if (asks !== undefined) {
      end()
      above = { headings: outer.headings, asks: new Set(terms(asks)) }
    }
    if (rest === '') continue
    if (isProse(rest)) run.push(rest)
    else end()
  }
  end(run.at(-1) === all.at(-1) ? continued : undefined)
  return runs
}

/** Code and lists are quoted whole or not at all, and only behind the sentence that announces them. */
function continuedBy(sentence: string, behind: readonly PassageBlock[]): string | undefined {
  const [next] = behind
  if (next?.kind === 'list') return sentence.endsWith(':') ? withinBounds(next.source) : undefined
  // Pieces of code in a row are variants of one: the first alone could be the one not to use.
  const end = behind.findIndex(({ kind }) => kind !== 'code')
  const code = (end < 0 ? behind : behind.slice(0, end)).map((block) => (block.kind === 'code' ? block.source : ''))
  return code.length === 0 ? undefined : withinBounds(code.join('\n\n'))
}

function withinBounds(source: string): string | undefined {
  return source.length <= MAX_CONTINUED && source.split('\n').length <= MAX_CONTINUED_LINES ? source : undefined
}

/** Marks that code has and prose has not, beyond inline code and links. */
const CODE_MARK = /[{}[\]<>=;|\\$@#]|\w\(|\w_\w|--|\.\w+\(/g
const INLINE = /`[^`]*`|\[([^\]]*)\]\([^)]*\)|\[\d+\]|https?:\/\/\S+/g
const ENDS = /[.!:。！？।॥።៕…]["'”’)\]*_`]*$/u
/** One mark in so many characters is too much for prose. */
const CHARACTERS_A_MARK = 40

/** Whether a sentence says something to a reader: it has words, an end, and little of what code has. */
function isProse(sentence: string): boolean {
  if (sentence.length > MAX_QUOTE || !ENDS.test(sentence)) return false
  const plain = sentence.replaceAll(INLINE, (_, label: string | undefined) => label ?? 'x')
  const marks = plain.match(CODE_MARK)?.length ?? 0
  const letters = plain.match(/[\p{L}\p{M}]/gu)?.length ?? 0
  return (
    marks * CHARACTERS_A_MARK <= plain.length &&
    letters * 2 >= plain.length &&
    /^[\p{Lu}\p{Lt}\p{Lo}\p{N}"'“‘(*_`[]/u.test(sentence)
  )
}
