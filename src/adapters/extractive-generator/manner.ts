/** How a sentence speaks, and how one that answers such a question would. English; other languages get no discount. */

/** What kind of answer a question wants. */
export type QuestionKind = 'how-to' | 'amount' | 'reason' | 'meaning' | 'choice' | 'other'

/** A word that asks for a measure. The answer says an amount in its place: "one hour", asked "how long". */
const MEASURE =
  /\bhow (many|much|long|often|frequently|large|big|small|far|fast|quickly|slow|old|soon|late|high|deep|wide|heavy)\b/i

/** The verb behind "how do I" and "how to". */
const VERB = /\bhow (?:(?:do|can|should|would|could) (?:i|we|you|one)|to) (\p{L}+)/iu

const KINDS: readonly (readonly [QuestionKind, RegExp])[] = [
  ['amount', MEASURE],
  [
    'amount',
    /\b(?:is|are) there (?:a|any)\b.{0,40}\b(?:limit|maximum|minimum)|\bwhat(?:'s| is) the (?:limit|maximum|minimum)\b/i,
  ],
  ['how-to', /\bhow (?:do|can|to|should|would|could)\b|^can i\b|\bis it possible\b|\bwhat (?:do|should|must) i\b/i],
  ['reason', /\bwhy\b/i],
  ['meaning', /^what(?:'s| is| are| does)\b/i],
  ['choice', /^(?:which|what)\b/i],
]

/** What is seen of a question without knowing its words. */
export interface QuestionForm {
  readonly kind: QuestionKind
  /** The word that asks for a measure, such as "long"; empty where none does. */
  readonly measure: string
  /** What it asks how to do, in lower case, such as "install"; empty where it does not. */
  readonly verb: string
  readonly negated: boolean
}

/** The form of a question; its kind is `other` where none is known. */
export function formOf(question: string): QuestionForm {
  const kind = KINDS.find(([, form]) => form.test(question))?.[0] ?? 'other'
  const [, measure = ''] = MEASURE.exec(question) ?? []
  const [, verb = ''] = VERB.exec(question) ?? []
  return { kind, measure, verb: verb.toLowerCase(), negated: NEGATES.test(question) }
}

/** Figures in links and code are none of the sentence, unless the code is a figure. */
const NOT_SAID = /`(?!\d[\d.,_]*\s?\p{L}{0,3}`)[^`]*`|\]\([^)]*\)/gu
const UNIT =
  '(?:millisecond|second|minute|hour|day|night|week|month|quarter|year|byte|kilobyte|megabyte|gigabyte|terabyte)'
const AMOUNT = new RegExp(
  [
    String.raw`\d`,
    String.raw`\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety)\b`,
    String.raw`\b(?:(?:hundred|thousand|million|billion|dozen)s?|half|twice|hourly|daily|nightly|weekly|monthly|yearly)\b`,
    String.raw`\b(?:forever|unlimited|no limit|(?:an?|one|each|every|per) ${UNIT})\b`,
  ].join('|'),
  'i',
)

/** Whether a text says how many, how much or how long, in figures or in words. */
export function saysAmount(text: string): boolean {
  return AMOUNT.test(text.replaceAll(NOT_SAID, ' '))
}

/** Refers to something said before. */
const REFERS_BACK =
  /^(?:this|that|these|those|such|it|its|they|their|them|he|she|here|there|then|also|however|therefore|thus|hence|so|but|and|or|otherwise|instead|additionally|moreover|furthermore|finally|next|now|similarly|likewise|in this|for this|using this|with this|as with|as such|note that|unlike|as (?:noted|mentioned|said|shown|described|explained|before))\b/i
/** Points at something else instead of saying it. */
const POINTS_ELSEWHERE =
  /^(?:welcome|to (?:learn|understand|find out)|see|refer|check|read|visit|learn|click|below|above|the following (?:example|code|snippet)|(?:here|this|below|the following)\b.{0,60}\bexample|for (?:more|further)|for example|for instance|(?:this|the) (?:section|page|guide|chapter|document|tutorial) (?:describes?|explains?|covers?|shows?|lists?)|in (?:this|the (?:above|following|previous|next)) (?:tutorial|guide|section|example|page|code|snippet))\b/i
/** The same at the end: "see here". */
const SENDS_ON = /\[here\]\(/i
/** Beside the matter, not the matter. */
const REMARKS = /^(?:[^\p{L}]|ℹ)*(?:note|notice|warning|caution|tip|important|info|please|be aware|whether|should)\b/iu
const TELLS_A_STORY =
  /\b(?:let's|let us|we'll|we will|we are going to|you just|you will likely|you may think|you might|suppose|imagine|a common (?:situation|case|scenario))\b/i
const INSTRUCTS =
  /\b(?:you|us(?:e|ing)|call|set|pass|add|create|run|install|specify|configure|defines|provid(?:es?|ing)|supports?|allows?|lets?|enables?|can|must|should|need|by \w+ing|to \w+,)\b/i
const GIVES_A_REASON =
  /\b(?:because|since|so that|due to|reasons?|as a result|therefore|this means|which means|caused?|only)\b/i
const IS = /\b(?:is|are|means?|refers? to|represents?|indicates?|denotes?|describes?|allows?|lets?)\b/i
/** Of headings: what was, and how it was left. */
const TELLS_OF_CHANGES =
  /\b(?:migrat\w+|upgrad\w+|changelog|release notes|breaking changes?|deprecat\w+|removed|history)\b/i

/** Whether headings announce what has changed, which is not how to do it now. */
export function tellsOfChanges(headings: string): boolean {
  return TELLS_OF_CHANGES.test(headings)
}

/** Characters before the verb of a sentence that says what something is. */
const LONGEST_SUBJECT = 60
/** Characters that say what an option is, and not how anything is done. */
const TOO_SHORT = 50

/** A condition that opens a sentence: what it says holds for that case. */
const CONDITION = /^(?:if|when|unless|before|after|once|while|as soon as|in case)\b([^,]{1,120}),/i
const NEGATES = /\b(?:not|never|without|cannot|no longer|unless)\b|n['’]t\b/i

/** How sentences speak. */
export interface Manner {
  /** 1 for sentences that stand for themselves, less for those that lean on others. */
  readonly independence: number
  /** About 1: above for the form that answers to such a question have, below for another. */
  readonly form: number
}

/**
 * How well sentences speak as an answer to such a question.
 *
 * @param continued the list or code behind them
 * @param shareAsked share of a text's terms that the question has, 0..1
 */
export function mannerOf(
  { kind, verb, negated }: QuestionForm,
  sentences: readonly string[],
  continued: string | undefined,
  shareAsked: (text: string) => number,
): Manner {
  const [first = ''] = sentences
  const text = sentences.join(' ')
  const leaning =
    POINTS_ELSEWHERE.test(first) || SENDS_ON.test(text) || REMARKS.test(first)
      ? 0.6
      : REFERS_BACK.test(first)
        ? 0.75
        : 1
  const telling = TELLS_A_STORY.test(text) ? 0.65 : 1
  const [, condition = ''] = CONDITION.exec(first) ?? []
  const share = condition === '' ? 1 : shareAsked(condition)
  const general = share > 0.5 ? 1 : share > 0 ? 0.75 : 0.65
  const turned = kind === 'how-to' && !negated && NEGATES.test(text.replace(CONDITION, '')) ? 0.6 : 1
  return {
    independence: leaning * telling * general * turned,
    form: formFor({ kind, verb }, first, text, continued, shareAsked),
  }
}

function formFor(
  { kind, verb }: Pick<QuestionForm, 'kind' | 'verb'>,
  first: string,
  text: string,
  continued: string | undefined,
  shareAsked: (text: string) => number,
): number {
  switch (kind) {
    case 'how-to': {
      // "Install it from the registry" tells who asks how to install.
      const instructs = INSTRUCTS.test(text) || (verb !== '' && /\p{L}+/u.exec(first)?.[0].toLowerCase() === verb)
      if (continued !== undefined) return instructs ? 1.4 : 1.25
      return instructs ? 1.12 : text.length < TOO_SHORT ? 0.5 : 0.72
    }
    case 'meaning': {
      const said = first.replace(CONDITION, '')
      const verb = IS.exec(said)
      const subject = verb === null ? '' : said.slice(0, verb.index)
      return subject.length <= LONGEST_SUBJECT && shareAsked(subject) >= 0.5 ? 1.2 : 0.6
    }
    case 'amount':
      return saysAmount(text) ? 1.2 : 0.65
    case 'reason':
      return GIVES_A_REASON.test(text) ? 1 : 0.6
    case 'choice':
      return continued !== undefined && /^\s*(?:[-*+]|\d)/.test(continued) ? 1.3 : 1
    case 'other':
      return 1
  }
}
