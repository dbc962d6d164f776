/** How a sentence speaks, and how one that answers such a question would. English; other languages get no discount. */

/** What kind of answer a question wants. */
export type QuestionKind =
  | 'how-to'
  | 'amount'
  | 'reason'
  | 'meaning'
  /** When, or on what condition. */
  | 'time'
  /** One thing or some of many: which, who, where, what happens. */
  | 'choice'
  | 'yes-or-no'
  | 'other'

/** So many characters tell two words apart, whatever their endings. */
const WORD_BEGINNING = 5

/** A word that asks for a measure. The answer says an amount in its place: "one hour", asked "how long". */
const MEASURE =
  /\bhow (many|much|long|often|frequently|large|big|small|far|fast|quickly|slow|old|soon|late|high|deep|wide|heavy)\b/i

/** The verb behind "how do I" and "how to". */
const VERB = /\bhow (?:(?:do|can|should|would|could) (?:i|we|you|one)|to) (\p{L}+)/iu

const KINDS: readonly (readonly [QuestionKind, RegExp])[] = [
  // Before the amounts: "How do I change how many are shown?"
  ['how-to', /^how (?:to|(?:do|can|should|would|could) (?:i|we|you|one))\b/i],
  ['amount', MEASURE],
  [
    'amount',
    /\b(?:is|are) there (?:a|any)\b.{0,40}\b(?:limit|maximum|minimum)|\bwhat(?:'s| is) the (?:limit|maximum|minimum)\b/i,
  ],
  ['how-to', /\bhow (?:do|can|to|should|would|could)\b|^can i\b|\bis it possible\b|\bwhat (?:do|should|must) i\b/i],
  ['reason', /\bwhy\b/i],
  ['meaning', /^what(?:'s| is| are| does)\b/i],
  ['time', /^when\b/i],
  ['choice', /^(?:which|who|whom|whose|where|what)\b/i],
  ['yes-or-no', /^(?:is|are|do|does|did|can|could|may|might|must|should|will|would|has|have)\b/i],
]

function sameWord(one: string, other: string): boolean {
  return one.toLowerCase().slice(0, WORD_BEGINNING) === other.toLowerCase().slice(0, WORD_BEGINNING)
}

/** What is seen of a question without knowing its words. */
export interface QuestionForm {
  readonly kind: QuestionKind
  /** The word that asks for a measure, such as "long"; empty where none does. */
  readonly measure: string
  /** What it asks how to do, in lower case, such as "install"; empty where it does not. */
  readonly verb: string
  readonly negated: boolean
  /** In lower case. */
  readonly text: string
}

/** The form of a question; its kind is `other` where none is known. */
export function formOf(question: string): QuestionForm {
  const kind = KINDS.find(([, form]) => form.test(question))?.[0] ?? 'other'
  const [, measure = ''] = MEASURE.exec(question) ?? []
  const [, verb = ''] = VERB.exec(question) ?? []
  return { kind, measure, verb: verb.toLowerCase(), negated: NEGATES.test(question), text: question.toLowerCase() }
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
/** Of headings, and of what leads to sentences: what is warned of, what was, and how it was left. */
const WARNS =
  /\b(?:mistakes?|pitfalls?|anti-?patterns?|wrong|incorrect|bad|avoid|danger\w*|warning|caution|failures?|unsupported|discouraged|forbidden|prohibited|insecure|unsafe|void|myths?|misconceptions?|limitations?|known (?:issues|bugs|problems)|old|older|former|formerly|previous|previously|prior|legacy|obsolete|historic\w*|migrat\w+|upgrad\w+|changelog|release notes|breaking changes?|deprecat\w+|removed|history)\b/gi

/** Whether a heading or a lead says that what follows is not to be done, or holds no longer. */
export function namesAWarning(text: string): boolean {
  return text.search(WARNS) >= 0 || NEGATES.test(text)
}

/** The same, unless the question asks about just that. */
export function warnsUnasked(text: string, { text: question, negated }: QuestionForm): boolean {
  const warns = text.match(WARNS)?.some((word) => !question.includes(word.toLowerCase().slice(0, WORD_BEGINNING)))
  return warns === true || (!negated && NEGATES.test(text))
}

/** Takes back what stands before it. */
const TAKES_BACK =
  /^[^\p{L}\p{N}]*(?:not so|wrong|incorrect|false|but|however|unfortunately|except|instead|unless|actually|in fact|in reality|don['’]t|do not|never|avoid|(?:that|this|it|these|they)(?:['’]s| is| was| are| were) (?:not|no longer|only|wrong|false|incorrect|deprecated|discouraged|unsafe|insecure|removed|obsolete|an? (?:myth|mistake|bad|error|misconception))|(?:that|this|it) (?:no longer|does(?: not|n['’]t)|will not|won['’]t|has been (?:removed|deprecated)))\b/iu

/** Whether a sentence takes back the one before it, or makes an exception to it. */
export function takesBack(sentence: string): boolean {
  return TAKES_BACK.test(sentence)
}

const ANSWERS_A_QUESTION =
  /^[^\p{L}]*(?:A(?:nswer)?:[^\p{L}]*)?(?:yes|no|nope|not|never|sure|of course|absolutely|certainly|it depends|that depends|correct|true|false|only|both|neither)\b/iu

/** Whether a sentence says nothing without the question that it answers, as "No." does. */
export function answersAQuestion(sentence: string): boolean {
  return ANSWERS_A_QUESTION.test(sentence)
}

/** Characters before the verb of a sentence that says what something is. */
const LONGEST_SUBJECT = 60
/** Characters that say what an option is, and not how anything is done. */
const TOO_SHORT = 50

/** A condition that opens a sentence: what it says holds for that case. */
const CONDITION = /^(?:if|when|unless|before|after|once|while|as soon as|in case)\b([^,]{1,120}),/i
/** For whom, where, or to what end: the same, in other words. */
const SCOPE =
  /^(?:if|when|unless|before|after|once|while|as soon as|in case|on|in(?! general| most| short| practice| addition)|for|with|under|to|assuming|depending)\b([^,:]{1,120}),/i
const NEGATES = /\b(?:not|never|without|cannot|no longer|unless)\b|n['’]t\b/i
const DENIES = /\bno\b/i
/** Leans on what is said before within its first words, or at its end; or is said by the way. */
const UNRESOLVED =
  /^\(|^[^,]{0,60}\bthem\b[^,]{0,60},|^[^,]{0,60}\b(?:this|these|those|such|the (?:above|former|latter|same))\b(?! (?:command|line|code|snippet|step)|[^,]{0,60}:$)|\b(?:instead|too|as well|like that|that way|this|that|these|those)[.:]?$|\b(?:can|may|could|should|will|must) (?:also|still|even)\b|\bas (?:described|mentioned|shown) (?:above|before)\b/i
const MISCONCEIVES =
  /\b(?:many|some|most) (?:people|users|of us)\b.{0,20}\b(?:think|believe|assume|say)|\b(?:it is|it's) (?:often|commonly|widely) (?:said|believed|assumed|thought)|\b(?:common|popular|widespread) (?:myth|misconception|belief|mistake)|\byou (?:may|might|could) (?:think|believe|assume|be tempted)\b/i
/** A word before a sentence that says what is wrong with it, or when it held. */
const LABELLED =
  /^[^\p{L}]*(?:wrong|bad|incorrect|don['’]?ts?|do not|avoid|never|not|before|old|older|previously|deprecated|obsolete|legacy|myth|mistake|problem|error|caution|warning|danger|anti-?pattern)\b[^\p{L}:]{0,10}:|❌|🚫|⛔/iu
/** What was, said within a sentence. */
const HELD_ONCE =
  /\b(?:formerly|previously|in (?:the )?(?:old|older|earlier|previous|former|past)\b|prior to|(?:is|are|was|were|been|now) (?:deprecated|obsolete|removed)|no longer)\b/i

/** How sentences speak. */
export interface Manner {
  /** 1 for sentences that stand for themselves, less for those that lean on others. */
  readonly independence: number
  /** About 1: above for the form that answers to such a question have, below for another. */
  readonly form: number
  /** Whether they can be the answer to such a question: of its kind, and understood as they stand. */
  readonly suits: boolean
}

/** Sentences as they would be quoted. */
export interface Spoken {
  /** What leads to them, outermost first. */
  readonly lead: readonly string[]
  readonly sentences: readonly string[]
  /** The list or code behind them. */
  readonly continued: string | undefined
}

/**
 * How well sentences speak as an answer to such a question.
 *
 * @param shareAsked share of a text's terms that the question has, 0..1
 */
export function mannerOf(
  question: QuestionForm,
  { lead, sentences, continued }: Spoken,
  shareAsked: (text: string) => number,
): Manner {
  const [first = ''] = sentences
  const opening = lead[0] ?? first
  const text = [...lead, ...sentences].join(' ')
  const leaning =
    POINTS_ELSEWHERE.test(opening) || SENDS_ON.test(text) || REMARKS.test(opening)
      ? 0.6
      : REFERS_BACK.test(opening)
        ? 0.75
        : 1
  const telling = TELLS_A_STORY.test(text) ? 0.65 : 1
  const [, condition = ''] = CONDITION.exec(opening) ?? []
  const share = condition === '' ? 1 : shareAsked(condition)
  const general = share > 0.5 ? 1 : share > 0 ? 0.75 : 0.65
  const said = text.replace(CONDITION, '')
  const denied = question.kind === 'how-to' && !question.negated
  const turned = denied && NEGATES.test(said) ? 0.6 : 1
  const [, scope = ''] = SCOPE.exec(opening) ?? []
  const stands =
    leaning === 1 &&
    !UNRESOLVED.test(opening) &&
    !MISCONCEIVES.test(text) &&
    !sentences.some((sentence) => LABELLED.test(sentence)) &&
    (scope === '' || shareAsked(scope) > 0) &&
    !(denied && (turned < 1 || DENIES.test(said))) &&
    !lead.some((each) => warnsUnasked(each, question)) &&
    !(HELD_ONCE.test(text) && !HELD_ONCE.test(question.text))
  const { form, answers } = formFor(question, sentences, continued, shareAsked)
  return { independence: leaning * telling * general * turned, form, suits: stands && answers }
}

/** A heading that names something to be done. */
const NAMES_A_DEED =
  /^(?:how|to|add|change|configure|create|enable|install|make|restore|run|set|update|use|\p{L}+ing)\b/iu
/** What turns a question or a heading into its contrary, though it is no term. */
const OFF = /\b(?:off|disabl\w+)\b/i

/**
 * Whether what stands under a heading with the words of a question can be its answer.
 *
 * @param hasVerb whether those words are also what the question asks how to do
 */
export function headsSuch(heading: string, { kind, text }: QuestionForm, hasVerb: boolean): boolean {
  if (OFF.test(text) !== OFF.test(heading)) return false
  if (heading.endsWith('?')) return formOf(heading).kind === kind
  if (kind === 'how-to') return hasVerb || NAMES_A_DEED.test(heading)
  return kind !== 'time' && !text.startsWith('who')
}

/** Whether a section that says in its heading what is asked begins with the answer, and not with a pointer or a remark. */
export function opens(
  { sentences, continued }: Pick<Spoken, 'sentences' | 'continued'>,
  form: QuestionForm,
  shareAsked: (text: string) => number,
): boolean {
  const [first = ''] = sentences
  const text = `${sentences.join(' ')} ${continued ?? ''}`
  if ([POINTS_ELSEWHERE, SENDS_ON, REMARKS, LABELLED].some((form) => form.test(first))) return false
  if (HELD_ONCE.test(sentences.join(' ')) && !HELD_ONCE.test(form.text)) return false
  if (form.kind === 'how-to') return formFor(form, sentences, continued, shareAsked).answers
  return form.kind !== 'amount' || saysAmount(text)
}

/** What tells somebody to do something, at the beginning of a sentence or of its main clause. */
const DO =
  '(?:use|run|set|add|install|call|create|specify|configure|enable|disable|edit|open|go to|click|select|choose|put|place|pass|include|mount|start|stop|restart|enter|type|copy|move|execute|change|define|make sure|navigate|download|press|turn|check|replace|remove|delete|upload|import|export|send|provide|log in|connect|visit)'
const TELLS_TO = new RegExp(
  [
    String.raw`(?:^|[.!:] |^[^,.]{1,120}, )[*_]*(?:then |first |simply |just |please )*${DO}\b`,
    String.raw`\b(?:you|users|admins|administrators) (?:can|may(?! want| think| see| notice| be| already))\b`,
    String.raw`\b(?:by (?:using|running|setting|adding|calling|passing|editing|creating|clicking|selecting|enabling|specifying|putting|including|changing)) `,
    String.raw`\b(?:can|may) (?:also |then |now |only |easily |either )?be \p{L}+ (?:by|using|via) `,
    String.raw`(?:following|this|these|a) (?:commands?|lines?|steps?|snippets?|options?|settings?)[^.]{0,60}:$`,
  ].join('|'),
  'iu',
)
/** What is done with something, where it is said what it is. */
const PASSIVE =
  /^\s*(?:also |only |always |usually |not |now )?(?!used|called|named|meant|intended|designed)\p{L}+(?:ed|en|set|run)\b/iu
/** On which a yes or no hangs, though they are no terms. */
const QUANTIFIERS = /\b(?:same|different|both|only|several|multiple|all|always|again|automatically)\b/g
/** Advice for some is not what holds. */
const HEDGES = /\byou (?:may|might|could) (?:want|wish|need|like|prefer)\b/i
/** What is done at another time than what is asked. */
const ANOTHER_TIME = /^(?:before|after|once|while|until|if you(?:['’]ve| have| had| already))\b/i
/** By what something is done, or where. */
const MEANS = /[\x60*["“]|\b(?:by|using|via|through)\b|\bgo to\b|\b(?:with|from|in|on) (?:the|an?|your)\b/i
const LISTS = /^\s*(?:[-*+]|\d)/
/** What leads to a time or condition, behind what happens then. */
const THEN = /\b(?:when|once|as soon as|if|unless|until|after|before|every)\b/i

function formFor(
  { kind, verb, text: question }: QuestionForm,
  sentences: readonly string[],
  continued: string | undefined,
  shareAsked: (text: string) => number,
): { readonly form: number; readonly answers: boolean } {
  const [first = ''] = sentences
  const text = sentences.join(' ')
  switch (kind) {
    case 'how-to': {
      // "Install it from the registry" tells who asks how to install.
      const [, does = ''] = /(?:you )?(\p{L}+)/iu.exec(first) ?? []
      const echoes = verb !== '' && does.toLowerCase() === verb
      const instructs = INSTRUCTS.test(text) || echoes
      const [, end = verb] = /^to (\p{L}+)[^,:]*,/iu.exec(first) ?? []
      // That it can be done does not say how, and what is done before, after or for something else is something else.
      const tells =
        (echoes || TELLS_TO.test(text)) &&
        (continued !== undefined || MEANS.test(text)) &&
        !ANOTHER_TIME.test(first) &&
        sameWord(end, verb)
      if (continued !== undefined) return { form: instructs ? 1.4 : 1.25, answers: tells }
      return { form: instructs ? 1.12 : text.length < TOO_SHORT ? 0.5 : 0.72, answers: tells }
    }
    case 'meaning': {
      const said = first.replace(CONDITION, '')
      const is = IS.exec(said)
      const subject = is === null ? '' : said.slice(0, is.index)
      const share = subject.length <= LONGEST_SUBJECT ? shareAsked(subject) : 0
      const behind = is === null ? '' : said.slice(is.index + is[0].length)
      return { form: share >= 0.5 ? 1.2 : 0.6, answers: share === 1 && !PASSIVE.test(behind) }
    }
    case 'amount':
      return saysAmount(text) ? { form: 1.2, answers: true } : { form: 0.65, answers: false }
    case 'reason':
      return GIVES_A_REASON.test(text) ? { form: 1, answers: true } : { form: 0.6, answers: false }
    case 'time': {
      // The sentence says what was asked, and behind it when: "A question is refused when …".
      const then = THEN.exec(first)
      const answers = then !== null && shareAsked(first.slice(0, then.index)) === 1
      return { form: answers ? 1.3 : 1, answers }
    }
    case 'choice': {
      // Many sentences hold the words of such a question; of those that answer it, only a list is known by its form.
      const lists = /^wh(?:ich|at)/.test(question) && continued !== undefined && LISTS.test(continued)
      return { form: lists ? 1.3 : 1, answers: lists }
    }
    case 'yes-or-no': {
      const said = text.toLowerCase()
      return {
        form: 1,
        answers: (question.match(QUANTIFIERS) ?? []).every((word) => said.includes(word)) && !HEDGES.test(first),
      }
    }
    case 'other':
      return { form: 1, answers: !HEDGES.test(text) }
  }
}
