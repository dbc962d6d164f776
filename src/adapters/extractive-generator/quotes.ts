/** Which adjacent sentences of one passage answer a question best. Words only: no model, no meaning. */
import { clamp01 } from '../../core/lib/numbers.ts'
import type { Chunk } from '../../core/evidence/chunk.ts'
import { terms } from '../../core/text/terms.ts'
import { formOf, headsSuch, mannerOf, opens, type QuestionForm, saysAmount, takesBack, warnsUnasked } from './manner.ts'
import { openingOf } from './openings.ts'
import { MAX_QUOTE, type Run, runsOf } from './runs.ts'

/** Sentences that stand together in one passage. */
export interface Quote {
  /** Index of the passage. */
  readonly chunk: number
  /** What leads to the sentences, outermost first, and belongs before them. */
  readonly lead: readonly string[]
  /** Whether the sentences are an item of a list. */
  readonly isItem: boolean
  readonly sentences: readonly string[]
  /** The list or code that the last of them announces, or what follows them in their section, as it stands. */
  readonly continued: string | undefined
  /**
   * How well the best of these sentences answer, 0..1: the share of the question's terms that they and the headings above
   * them hold, rare terms weighing more, and less of it for a sentence that speaks of something else; 0 for sentences
   * that cannot be an answer to such a question, whatever they hold.
   */
  readonly fit: number
}

const NONE: ReadonlySet<string> = new Set()

/** What each place counts in which a term of the question stands. */
const IN_QUOTE = 1
const IN_QUESTION = 0.95
const IN_HEADING = 0.7
const IN_TITLE = 0.4
/** What a passage as a whole counts, beside its best sentences. */
const WHOLE = 0.35
/** How much a later passage counts against an earlier one, where neither has a score. */
const RANK_DISCOUNT = 0.9
/** What a heading that has nothing of the question takes away. */
const STRANGE_HEADING = 0.35
/** For each sentence after the first: the best ones are not to be hidden among others. */
const LENGTH_DISCOUNT = 0.98

/** For each paragraph before it: what a section is about stands first. */
const LATER_DISCOUNT = 0.95
/** How much more than in proportion a better score counts. */
const RELEVANCE = 1.5
/** A fused score of which no less is expected of a passage that answers. */
const SURE_SCORE = 0.35
/** A share of the best passage's score of which the same holds. */
const NEAR_TOP = 0.8
/** What is warned of, or was, is seldom asked for. */
const WARNED_DISCOUNT = 0.7
/** Of sentences that cannot be an answer to such a question. */
const UNSUITED_DISCOUNT = 0.85
/** The share of what is asked that the sentences themselves must hold: headings alone make no answer. */
const OWN_SHARE = 0.6
/** The same of a question for yes or no, or for a time: it is about every word of it. */
const OWN_SHARE_OF_ALL = 0.8

const SEAM = /([a-z])(?=[A-Z])/g
const SEAMED = /[a-z][A-Z]/
const NAME = /[A-Za-z]+/g

const ACRONYM = /\b[A-Z]{2,}\b/g

/** Words of everyday speech that say little of what is asked for, and what they weigh. */
const LIGHT = termsIn(
  `get go make see use want need know like way work thing every everything something anything find look put turn let give take
  come mean run good best happen possible able please tell show help change keep set other another`,
)
const LIGHT_WEIGHT = 0.3

/** What undoes: a sentence of it answers no question that does not ask for it. */
const UNDOING = termsIn(
  'delete deletion remove removal drop erase reset clear disable deprecate revoke uninstall destroy',
)
const UNDOING_DISCOUNT = 0.4

/** A question, as quotes are measured by it. */
interface Asked {
  /** What its terms weigh: those in few sentences more, light ones less. */
  readonly weights: ReadonlyMap<string, number>
  /** The same for a sentence that says an amount: it need not say the word that asks for one. */
  readonly weightsOfAmounts: ReadonlyMap<string, number>
  /** Its terms without the light ones and the one that asks for a measure, unless it has no others. */
  readonly telling: ReadonlySet<string>
  /** Share of a text's terms that are telling. */
  readonly share: (text: string) => number
  readonly form: QuestionForm
  readonly undoes: boolean
  /** The verb of a question how to do something, unless it is a light one: an answer says it too. */
  readonly said: readonly string[]
  /** Names in capitals, which may be another word in small letters: REST. */
  readonly acronyms: readonly string[]
}

/** The terms of the headings above a sentence. */
interface Above {
  readonly title: ReadonlySet<string>
  readonly section: ReadonlySet<string>
}

/**
 * The best quote of all passages.
 *
 * @param maxSentences 1 and up
 * @returns `undefined` when there is no sentence of prose at all
 */
export function bestQuote(question: string, chunks: readonly Chunk[], maxSentences: number): Quote | undefined {
  const runs = chunks.map(({ text, section }) =>
    runsOf(text, section).map((run): ReadRun => ({ ...run, terms: run.sentences.map(termsIn) })),
  )
  const asked = askedBy(question, runs.flat())
  const topScore = chunks[0]?.scores.convex ?? 0
  const headed = headedQuote(chunks, asked, maxSentences, topScore)
  if (headed !== undefined) return headed
  let best: Quote | undefined
  let most = -1
  for (const [chunk, passage] of chunks.entries()) {
    const { title = '', section = '', scores } = passage
    const above = { title: termsIn(title), section: termsIn(section) }
    const found = bestOf(runs[chunk] ?? [], above, asked, maxSentences)
    if (found === undefined) continue
    const whole = coverage(asked.weights, [termsIn(passage.text)], above.section, above.title)
    const warned = warnsUnasked(`${title} › ${section}`, asked.form)
    const about =
      (found.saysAll ? 1 : familiarity(section.split(' › ').at(-1) || title, asked)) * (warned ? WARNED_DISCOUNT : 1)
    const ranked =
      scores.convex === undefined || !(topScore > 0)
        ? RANK_DISCOUNT ** chunk
        : clamp01(scores.convex / topScore) ** RELEVANCE
    const worth = ranked * about * (WHOLE * whole + (1 - WHOLE) * found.worth)
    if (worth > most) {
      most = worth
      const known = trustOf(scores.convex, topScore)
      const { lead, isItem } = found.run
      const spoken = { lead, ...widened(found, maxSentences) }
      // What is quoted beside the best sentences must stand as they do.
      const heading = headingOf(passage)
      const told =
        asked.form.kind !== 'how-to' ||
        heading === '' ||
        (found.isMeant && asked.said.length > 0) ||
        headingSays(heading, asked)
      const stands = !warned && told && mannerOf(asked.form, spoken, asked.share).suits
      best = { chunk, isItem, ...spoken, fit: stands ? found.fit * about * known : 0 }
    }
  }
  return best
}

/** How far a passage is trusted by its fused score, 0..1; 1 where it has none. */
function trustOf(convex: number | undefined, topScore: number): number {
  return convex === undefined ? 1 : clamp01(convex / Math.max(SURE_SCORE, NEAR_TOP * topScore))
}

/** The beginning of the first passage whose heading says what is asked. */
function headedQuote(
  chunks: readonly Chunk[],
  asked: Asked,
  maxSentences: number,
  topScore: number,
): Quote | undefined {
  for (const [chunk, passage] of chunks.entries()) {
    const heading = headingOf(passage)
    const { title = '', section = '', scores, text } = passage
    if (!headingSays(heading, asked) || warnsUnasked(`${title} › ${section}`, asked.form)) continue
    const opening = openingOf(text, heading, maxSentences)
    if (opening === undefined || !opens(opening, asked.form, asked.share)) continue
    return { chunk, lead: [], isItem: false, ...opening, fit: trustOf(scores.convex, topScore) }
  }
  return undefined
}

function headingOf({ title = '', section = '' }: Chunk): string {
  return section.split(' › ').at(-1) || title
}

/** A run, with the terms of each sentence. */
interface ReadRun extends Run {
  readonly terms: readonly ReadonlySet<string>[]
}

/** Sentences of a run, as they measure. */
interface Measured {
  readonly run: ReadRun
  readonly sentences: readonly string[]
  readonly continued: string | undefined
  readonly fit: number
  readonly worth: number
  /** Whether they are said to be about just that which is asked. */
  readonly isMeant: boolean
  /** Whether they are, or hold all that is asked: then the heading need not say so. */
  readonly saysAll: boolean
}

function bestOf(runs: readonly ReadRun[], above: Above, asked: Asked, maxSentences: number): Measured | undefined {
  let best: Measured | undefined
  for (const [at, run] of runs.entries()) {
    const headings = new Set([...run.headings, ...above.section])
    for (const { from, to } of windows(run, maxSentences)) {
      const found = run.terms.slice(from, to)
      const tells = found.some((terms) => isOf(asked.telling, terms)) || isOf(asked.telling, run.asks)
      // Headings alone say what a sentence is about, not that it answers. The first one stands for the passage then.
      if (!tells && best !== undefined) continue
      const sentences = run.sentences.slice(from, to)
      const continued = to === run.sentences.length ? run.continued : undefined
      const amount = saysAmount(sentences.join(' '))
      const covered = coverage(amount ? asked.weightsOfAmounts : asked.weights, found, headings, above.title, run.asks)
      const isMeant = isAbout(run, sentences, asked)
      const saysAll =
        isMeant ||
        ((amount || asked.form.measure === '') &&
          asked.telling.size > 1 &&
          [...asked.telling].every((term) => found.some((own) => own.has(term))))
      const { independence, form, suits } = mannerOf(asked.form, { lead: run.lead, sentences, continued }, asked.share)
      const answers = suits && !run.doubtful && holdsEnough(found, sentences, run.asks, asked)
      const undoing = !asked.undoes && found.some((terms) => isOf(UNDOING, terms)) ? UNDOING_DISCOUNT : 1
      const stands = covered * independence * undoing
      const suited = answers ? 1 : UNSUITED_DISCOUNT
      const worth = tells ? stands * form * suited * LENGTH_DISCOUNT ** (to - from - 1) * LATER_DISCOUNT ** at : 0
      const fit = tells && answers ? stands * Math.min(1, form) : 0
      if (best === undefined || worth > best.worth) best = { run, sentences, continued, fit, worth, isMeant, saysAll }
    }
  }
  return best
}

/** Whether a heading says all that is asked, and nothing else. A heading of one word says too little, unless it asks. */
function headingSays(heading: string, { weights, telling, said, form }: Asked): boolean {
  // Of a signature only its name says what it is about.
  const own = termsIn(heading.replace(/\(.*$/, ''))
  return (
    (telling.size > 1 || heading.endsWith('?')) &&
    [...telling].every((term) => own.has(term)) &&
    [...own].every((term) => weights.has(term) || LIGHT.has(term)) &&
    headsSuch(heading, form, said.length > 0)
  )
}

/** Whether the heading above, the question there, or the purpose said first ("To uninstall, …") is what is asked and nothing else. */
function isAbout({ headings, asks }: Run, [first = '']: readonly string[], { weights }: Asked): boolean {
  return [asks.size > 0 ? asks : headings, termsIn(/^to ([^,:]+)[,:]/i.exec(first)?.[1] ?? '')].some(
    (own) => own.size === weights.size && [...weights.keys()].every((term) => own.has(term)),
  )
}

/** Whether the sentences themselves hold enough of what is asked: of an amount, the one that says it. */
function holdsEnough(
  found: readonly ReadonlySet<string>[],
  sentences: readonly string[],
  asks: ReadonlySet<string>,
  { form: { kind }, weights, telling, said, acronyms }: Asked,
): boolean {
  const those = kind === 'amount' ? found.filter((_, at) => saysAmount(sentences[at] ?? '')) : found
  const closed = kind === 'yes-or-no' || kind === 'time'
  let [held, all] = [0, 0]
  for (const term of closed ? weights.keys() : telling) {
    const weight = closed ? 1 : (weights.get(term) ?? 0)
    all += weight
    if (asks.has(term) || those.some((own) => own.has(term))) held += weight
  }
  return (
    held >= all * (closed ? OWN_SHARE_OF_ALL : OWN_SHARE) &&
    said.every((term) => asks.has(term) || those.some((own) => own.has(term))) &&
    acronyms.every((name) => sentences.some((sentence) => sentence.includes(name)))
  )
}

/** Adjacent sentences of a run, as many as are quoted. What announces something says nothing without it. */
function* windows(
  { sentences, continued }: Run,
  maxSentences: number,
): Generator<{ readonly from: number; readonly to: number }> {
  for (let from = 0; from < sentences.length; from++) {
    let length = 0
    for (let to = from + 1; to <= Math.min(sentences.length, from + maxSentences); to++) {
      const last = sentences[to - 1] ?? ''
      length += last.length + 1
      if (to > from + 1 && length > MAX_QUOTE) break
      const announces = last.endsWith(':') && !(to === sentences.length && continued !== undefined)
      if (!announces && !takesBack(sentences[to] ?? '')) yield { from, to }
    }
  }
}

/** A paragraph that is short enough is quoted whole: what stands around the best sentences is what they are about. */
function widened(
  { run, sentences, continued }: Measured,
  maxSentences: number,
): Pick<Quote, 'sentences' | 'continued'> {
  const whole = run.sentences.length
  for (const { from, to } of windows(run, Math.min(maxSentences, whole))) {
    if (to - from === whole) return { sentences: run.sentences, continued: run.continued }
  }
  return { sentences, continued }
}

function askedBy(question: string, runs: readonly ReadRun[]): Asked {
  const own = new Set(terms(question))
  const held = runs.flatMap((run) => run.terms)
  const weights = new Map(
    [...own].map((term) => {
      const count = held.filter((found) => found.has(term)).length
      const rarity = Math.log(1 + held.length / (1 + count))
      return [term, rarity * (LIGHT.has(term) ? LIGHT_WEIGHT : 1)] as const
    }),
  )
  const form = formOf(question)
  const measure = termsIn(form.measure)
  const heavy = [...own].filter((term) => !LIGHT.has(term) && !measure.has(term))
  const telling = new Set(heavy.length > 0 ? heavy : own)
  return {
    weights,
    weightsOfAmounts: new Map(
      [...weights].map(([term, weight]) => [term, measure.has(term) ? weight * LIGHT_WEIGHT : weight]),
    ),
    telling,
    share: (text) => shareOf(telling, termsIn(text)),
    form,
    undoes: isOf(UNDOING, own),
    said: [...termsIn(form.verb)].filter((term) => !LIGHT.has(term)),
    acronyms: question.match(ACRONYM) ?? [],
  }
}

function coverage(
  weights: Asked['weights'],
  quote: readonly ReadonlySet<string>[],
  heading: ReadonlySet<string>,
  title: ReadonlySet<string>,
  question: ReadonlySet<string> = NONE,
): number {
  let [held, all] = [0, 0]
  for (const [term, weight] of weights) {
    all += weight
    if (quote.some((found) => found.has(term))) held += weight * IN_QUOTE
    else if (question.has(term)) held += weight * IN_QUESTION
    else if (heading.has(term)) held += weight * IN_HEADING
    else if (title.has(term)) held += weight * IN_TITLE
  }
  return all === 0 ? 0 : held / all
}

/** How much a heading is about what is asked: 1 when the question has all its terms. */
function familiarity(heading: string, { weights }: Asked): number {
  // Of a signature only its name says what it is about.
  const own = [...termsIn(heading.replace(/\(.*$/, ''))]
  if (own.length === 0) return 1 - STRANGE_HEADING / 2
  return 1 - STRANGE_HEADING * (own.filter((term) => !weights.has(term)).length / own.length)
}

/** The terms of a text, those inside of names such as `bodyLimit` too. */
function termsIn(text: string): Set<string> {
  const found = new Set(terms(text))
  for (const name of text.match(NAME) ?? []) {
    if (SEAMED.test(name)) for (const term of terms(name.replaceAll(SEAM, '$1 '))) found.add(term)
  }
  return found
}

/** Share of the terms found that are telling; light ones are left out, and of none the share is 0. */
function shareOf(telling: ReadonlySet<string>, found: ReadonlySet<string>): number {
  const own = [...found].filter((term) => telling.has(term) || !LIGHT.has(term))
  return own.length === 0 ? 0 : own.filter((term) => telling.has(term)).length / own.length
}

function isOf(some: ReadonlySet<string>, found: Iterable<string>): boolean {
  for (const term of found) if (some.has(term)) return true
  return false
}
