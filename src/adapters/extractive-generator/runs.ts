/** The sentences of a passage that can be quoted: prose, in the order and company in which they stand. */
import { sentences } from '../../core/text/sentences.ts'
import { terms } from '../../core/text/terms.ts'
import { answersAQuestion, namesAWarning, takesBack } from './manner.ts'
import { listItems, type PassageBlock, passageBlocks } from './passage-blocks.ts'

/** Sentences of prose that follow each other without anything between them. */
export interface Run {
  readonly sentences: readonly string[]
  /**
   * What is said of them before, outermost first: it is quoted with them, as "Never do this:" belongs to what it
   * forbids. Empty where they stand for themselves.
   */
  readonly lead: readonly string[]
  /** Whether they are an item of a list. */
  readonly isItem: boolean
  /** Terms of the headings within the passage that stand above them, and of what leads to them. */
  readonly headings: ReadonlySet<string>
  /** Terms of the question that the document itself asks above them. */
  readonly asks: ReadonlySet<string>
  /** The list or code behind the last of them, as it stands. */
  readonly continued: string | undefined
  /** Whether they cannot be an answer: what leads to them is not known, or what follows takes them back. */
  readonly doubtful: boolean
}

/** Longest quote, characters, without a list or code behind it. */
export const MAX_QUOTE = 600
/** Longest list or code that is quoted behind its announcement. */
export const MAX_CONTINUED = 700
export const MAX_CONTINUED_LINES = 20

/** @param section the headings above the passage, joined by ` › ` */
export function runsOf(text: string, section: string | undefined): Run[] {
  const heading = section?.split(' › ').at(-1)
  const blocks = passageBlocks(text, heading)
  let under = underHeading(heading ?? '', heading)
  let place = under
  // A list that opens a passage may have been cut off from what leads to it.
  let ofItems: Place = { ...under, doubtful: true }
  let inList = false
  const runs: Run[] = []
  for (const [at, block] of blocks.entries()) {
    const behind = blocks.slice(at + 1, at + 1 + MAX_BEHIND)
    if (block.kind === 'heading') {
      under = place = underHeading(block.text, heading)
      ofItems = at === 0 ? { ...under, doubtful: true } : under
      inList = false
    } else if (block.kind === 'other') {
      // A directive such as `:::danger` holds until the next one.
      under = place = { ...under, doubtful: namesAWarning(block.text) }
      // What a table or a tag has to do with a list behind it is not known.
      ofItems = { ...under, doubtful: true }
    } else if (block.kind === 'list') {
      inList = true
      for (const { text: item, within } of listItems(block.source)) {
        const inside = within.reduce((outer, each) => behindLead(outer, [each]), ofItems)
        runs.push(...proseRuns(sentences(item), { ...inside, isItem: true }))
      }
    } else if (block.kind === 'prose') {
      const continued = continuedBy(block.sentences.at(-1) ?? '', behind)
      const after = behind.find(({ kind }) => kind !== 'code')
      const next = after?.kind === 'prose' ? after.sentences[0] : undefined
      if (inList && block.indented === true) {
        // Of which item it speaks is not quoted with it.
        runs.push(...proseRuns(block.sentences, { ...ofItems, doubtful: true }, next, continued))
        continue
      }
      runs.push(...proseRuns(block.sentences, place, next, continued))
      inList = false
      ofItems = behindLead(under, block.sentences)
      place = behind[0]?.kind === 'prose' && announces(block.sentences.at(-1) ?? '') ? ofItems : under
    }
  }
  return runs
}

/** Blocks behind a paragraph that are looked at. */
const MAX_BEHIND = 20
/** Longest text that leads to others and is quoted with them, characters. */
const MAX_LEAD = 400
/** Where sentences stand, as far as it says something of them. */
interface Place extends Pick<Run, 'lead' | 'headings' | 'asks' | 'doubtful'> {
  /** The question above them, as it is asked. */
  readonly question: string
  readonly isItem: boolean
}

/** @param named the heading by which the passage is named, so that it need not be quoted */
function underHeading(text: string, named: string | undefined): Place {
  const headings = new Set(terms(text))
  const asks = text.endsWith('?')
  return {
    headings,
    asks: asks ? headings : new Set(),
    question: asks ? text : '',
    lead: text !== named && namesAWarning(text) ? [text] : [],
    isItem: false,
    doubtful: false,
  }
}

/** What stands behind a paragraph, or within an item. Where that is too long to be quoted, nobody can see what it says. */
function behindLead(place: Place, said: readonly string[]): Place {
  const text = said.join(' ')
  const lead = [...place.lead, text]
  return {
    ...place,
    lead,
    headings: new Set([...place.headings, ...terms(text)]),
    doubtful: place.doubtful || lead.join(' ').length > MAX_LEAD,
  }
}

/**
 * A question among the sentences is the heading of those behind it. What is no prose parts them.
 *
 * @param following the sentence behind them, if the next block begins with one
 */
function proseRuns(all: readonly string[], outer: Place, following?: string, continued?: string): Run[] {
  const runs: Run[] = []
  let place = outer
  let run: string[] = []
  const end = (next: string | undefined, behind?: string): void => {
    if (run.length > 0) {
      const { lead, isItem, headings, asks, question } = place
      const [first = '', ...others] = run
      // "No." answers the question that the document asks, which need not be the one that was asked.
      const said = question !== '' && answersAQuestion(first) ? [`${question} ${first}`, ...others] : run
      const doubtful = place.doubtful || (next !== undefined && takesBack(next))
      runs.push({ sentences: said, lead, isItem, headings, asks, continued: behind, doubtful })
    }
    run = []
  }
  for (const sentence of all) {
    const asked = /^(.*?\?)[*_"”’)]*(?:\s|$)/.exec(sentence)?.[1]
    const rest =
      asked === undefined
        ? sentence
        : sentence
            .slice(asked.length)
            .replace(/^[*_"”’)]+/, '')
            .trim()
    if (asked !== undefined) {
      end(undefined)
      const question = asked.replace(/^[*_"“‘(]+/, '')
      // A question of its own says what is answered: no list or paragraph before need say so.
      const doubtful = outer.doubtful && outer.lead.length > 0
      place = { ...outer, asks: new Set(terms(asked)), question, doubtful }
    }
    if (rest === '') continue
    if (isProse(rest)) run.push(rest)
    else end(rest)
  }
  end(following, run.at(-1) === all.at(-1) ? continued : undefined)
  return runs
}

/** Code and lists are quoted whole or not at all, and only behind the sentence that announces them. */
function continuedBy(sentence: string, behind: readonly PassageBlock[]): string | undefined {
  const [next] = behind
  if (next?.kind === 'list') return announces(sentence) ? withinBounds(next.source) : undefined
  // Pieces of code in a row are variants of one: the first alone could be the one not to use.
  const end = behind.findIndex(({ kind }) => kind !== 'code')
  const code = (end < 0 ? behind : behind.slice(0, end)).map((block) => (block.kind === 'code' ? block.source : ''))
  return code.length === 0 ? undefined : withinBounds(code.join('\n\n'))
}

function withinBounds(source: string): string | undefined {
  return source.length <= MAX_CONTINUED && source.split('\n').length <= MAX_CONTINUED_LINES ? source : undefined
}

/** The name of a picture, as in `:tada:`. A line that ends with one is a badge or a cheer. */
const ENDS_WITH_PICTURE = /:[\w+-]+:$/

/** Whether a sentence leads to what stands behind it. */
export function announces(sentence: string): boolean {
  return sentence.endsWith(':') && !ENDS_WITH_PICTURE.test(sentence)
}

/** Marks that code has and prose has not, beyond inline code and links. */
const CODE_MARK = /[{}[\]<>=;|\\$@#]|\w\(|\w_\w|--|\.\w+\(/g
const INLINE = /`[^`]*`|\[([^\]]*)\]\([^)]*\)|\[[\d\s,;]+\]|https?:\/\/\S+/g
const TAG = /<\/?[A-Za-z][^<>]*>/
const ENDS = /[.!:。！？।॥።៕…]["'”’)\]*_`]*$/u
/** One mark in so many characters is too much for prose. */
const CHARACTERS_A_MARK = 40

/** Whether a sentence says something to a reader: it has words, an end, and little of what code has. */
export function isProse(sentence: string): boolean {
  if (
    sentence.length > MAX_QUOTE ||
    !ENDS.test(sentence) ||
    ENDS_WITH_PICTURE.test(sentence) ||
    TAG.test(sentence.replaceAll(INLINE, 'x'))
  )
    return false
  const plain = sentence.replaceAll(INLINE, (_, label: string | undefined) => label ?? 'x')
  const marks = plain.match(CODE_MARK)?.length ?? 0
  const letters = plain.match(/[\p{L}\p{M}]/gu)?.length ?? 0
  return (
    marks * CHARACTERS_A_MARK <= plain.length &&
    letters * 2 >= plain.length &&
    /^[\p{Lu}\p{Lt}\p{Lo}\p{N}"'“‘(*_`[]/u.test(sentence)
  )
}
