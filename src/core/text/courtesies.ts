/** Words that are said around a question and ask nothing: greetings, thanks, "could you please tell me". English. */

/** What may stand between a courtesy and the question. */
const GAP = '[\\s,.!:;–—-]*'

const GREETING =
  /^(?:hello|hi|hey|greetings|good (?:morning|afternoon|evening|day)|dear [^\s,]+)(?: (?:there|all|everyone|everybody|team))?(?:\s*[,.!:;–—-]+\s*|\s+(?=(?:what|which|who|how|why|when|where|is|are|do|does|did|can|could|would|will|i|we|please)\b))/
const PLEASE = new RegExp(`^(?:please|pls|kindly|excuse me|sorry|thanks|thank you)\\b${GAP}`)
const ABLE = new RegExp(
  '^(?:can|could|would|will) (?:you|someone|somebody|anyone|anybody)(?: please| kindly)? ' +
    '(?:(?:help|tell|show|give|inform|advise|remind) (?:me|us)|(?:explain|describe|clarify)(?: to (?:me|us))?|' +
    `let (?:me|us) know|(?:happen to )?know(?: if| whether)?)\\b(?: please)?${GAP}`,
)
const TELL = new RegExp(`^(?:(?:tell|show|remind|inform) (?:me|us)|let (?:me|us) know|explain to (?:me|us))\\b${GAP}`)
const WISH = new RegExp(
  "^(?:i|we)(?:(?: would|['’]d)?(?: really)? (?:like|want|need|love|wish) to (?:know|ask|understand|learn|find out|hear)" +
    "|(?: am| are| was| were|['’]m|['’]re)?(?: just)? (?:wondering|wonder|curious)(?: about| if| whether)?" +
    `|\\shave (?:a|one|another)(?: quick| short| simple)? question(?: about| regarding| on| for you)?)\\b${GAP}`,
)
const KNOW = new RegExp(
  `^(?:do|does) (?:you|someone|somebody|anyone|anybody)(?: happen to)? know\\b(?: if| whether)?${GAP}`,
)

/** By the word that they begin with, so that a question which begins with none of these is read no further. */
const OPENINGS: ReadonlyMap<string, RegExp> = new Map(
  (
    [
      [GREETING, 'hello hi hey greetings good dear'],
      [PLEASE, 'please pls kindly excuse sorry thanks thank'],
      [ABLE, 'can could would will'],
      [TELL, 'tell show remind inform let explain'],
      [WISH, 'i we'],
      [KNOW, 'do does'],
    ] as const
  ).flatMap(([opening, words]) => words.split(' ').map((word) => [word, opening] as const)),
)

const CLOSING =
  /[\s,.!?;–—-]+(?:please|pls|cheers|thx|(?:many )?thanks|thank you)(?: (?:so|very) much| a lot)?(?: in advance)?[\s.!?]*$/
const CLOSING_WORDS: ReadonlySet<string> = new Set('please pls cheers thx thanks you much lot advance'.split(' '))

const FIRST_WORD = /^[a-z]+/
const LAST_WORD = /[a-z]+(?=[\s.!?]*$)/

/** Courtesies stand within so many characters from either end. */
const REACH = 80

/** Courtesies that are taken off one after another. */
const MOST = 8

/**
 * A question without what politeness puts around it. What is asked stays as it was written.
 *
 * @param question normalised (`normaliseQuestion`)
 * @returns the question as it is when nothing else is left of it
 */
export function withoutCourtesies(question: string): string {
  let bare = question
  for (let taken = 0; taken < MOST; taken++) {
    const before = bare
    bare = withoutOpening(withoutClosing(bare))
    if (bare === before) break
  }
  return bare.trim() === '' ? question : bare
}

function withoutOpening(question: string): string {
  const head = lowered(question.slice(0, REACH))
  const opening = OPENINGS.get(FIRST_WORD.exec(head)?.[0] ?? '')?.exec(head)?.[0]
  return opening === undefined ? question : question.slice(opening.length)
}

function withoutClosing(question: string): string {
  const tail = lowered(question.slice(-REACH))
  if (!CLOSING_WORDS.has(LAST_WORD.exec(tail)?.[0] ?? '')) return question
  const closing = CLOSING.exec(tail)?.[0]
  return closing === undefined ? question : question.slice(0, -closing.length)
}

/** In lower case, and of the same length: letters whose small form is longer stay. */
export function lowered(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
}
