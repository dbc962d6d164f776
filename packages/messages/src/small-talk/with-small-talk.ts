/** Leaves the small talk of other languages out of a question. */
import { type Language, words } from 'hono-rag-gate/core/text'
import { CODE, type SmallTalk, UNSPACED, type Word, wordReader } from './word-groups.ts'

const MARKS = '.,;:!?¿¡。、؟،؛।|\\n'
/**
 * Between two clauses: after marks other than those within names ("hallo.de"), before a number ("Nr.: 7", "Nr. 7") and before a code
 * that ends the clause ("Ticket: AB-7"), and at spaces in scripts without them between words.
 */
const BETWEEN_CLAUSES = new RegExp(
  `(?<=[${MARKS}])(?=[^${MARKS}])(?!(?<=\\w\\.)[a-z\\d]|(?<=:|\\b(?:[Nn][or]|[Tt]el)\\.)\\s?(?:\\p{Nd}|${CODE}(?![^${MARKS}])))|(?<=${UNSPACED})(?=\\s\\P{Nd})`,
  'u',
)
const ENDS_IN_MARKS = new RegExp(`[${MARKS}]*$`, 'u')
const QUESTION_MARK = /[?؟]\s*$/
/** Most numbers and codes in a question: more could be characters. */
const CODES = 4
/** Most words of a signature. */
const SIGNATURE = 2
/** Share of stop words from which a question is in the language itself; its few in others are of the same letters. */
const OWN = 1 / 3

/**
 * A language, with which questions in others lose their small talk before they are split: greetings, thanks, requests for
 * help and the like ("Kurze Frage: …", "… 谢谢"). A clause is left out if all its words are listed in one language, and so are
 * introductions before a question word ("Können Sie mir sagen, wie …"), requests after it ("… söyler misiniz?") and a
 * signature of two words.
 *
 * @param language of documents and questions; its own rules follow
 * @param others words of small talk in at most 30 languages
 * @example balanced({ language: withSmallTalk(english, [german, french]) })
 */
export function withSmallTalk(language: Language, others: readonly SmallTalk[]): Language {
  const isOwn = (said: readonly string[]): boolean => said.filter(language.isStopWord).length > said.length * OWN
  // The lists take milliseconds to read.
  let read: ReturnType<typeof wordReader> | undefined
  const partsOf: Language['partsOf'] = (question) => {
    const own = language.partsOf(question)
    if (isOwn(words(question))) return own
    const left = withoutTalk(question, (read ??= wordReader(others)))
    const other = left === question ? own : language.partsOf(left)
    // Keywords may be in either: "Hi there! Thanks, Mike".
    return words(own.bare).length < words(other.bare).length ? own : other
  }
  return { ...language, partsOf }
}

/** The question itself if nothing would be left. */
function withoutTalk(question: string, read: (text: string) => readonly Word[]): string {
  const clauses = question.split(BETWEEN_CLAUSES).map((text) => ({ text, said: read(text) }))
  const all = clauses.flatMap(({ said }) => said)
  const leavesCodes = all.filter(({ isCode }) => isCode).length <= CODES
  const signedAt = all.map(({ listed }) => listed.closings !== 0).lastIndexOf(true) + 1
  const isSigned = signedAt > 0 && all.length - signedAt <= SIGNATURE && !/[?؟\d]/.test(clauses.at(-1)!.text)
  let before = 0
  const kept = clauses.map(({ text, said }) => {
    const spoken = isSigned ? said.slice(0, Math.max(0, signedAt - before)) : said
    before += said.length
    if (said.length === 0) return text
    if (spoken.length === 0 || isTalk(spoken, text, leavesCodes)) return ''
    const marksAt = text.search(ENDS_IN_MARKS)
    return text.slice(startOf(said), endOf(said, marksAt)) + text.slice(marksAt)
  })
  const left = kept.join('').trim()
  return words(left).length > 0 ? left : question
}

/**
 * Whether the words of a clause are all listed in one language, one of them as small talk or, beside a code, as its label.
 * "Where do I find help?" is none: in it, a word that only asks comes first.
 */
function isTalk(said: readonly Word[], text: string, leavesCodes: boolean): boolean {
  let [every, talk, documents, denials, asks, labels] = [~0, 0, 0, 0, 0, 0]
  const hasCode = said.some(({ isCode }) => isCode)
  if (hasCode && !leavesCodes) return false
  for (const { listed, isCode } of said) {
    every &= isCode ? ~0 : listed.any | (hasCode ? listed.labels : 0)
    labels |= listed.labels
    asks |= listed.asks & ~(talk | listed.talk | listed.beside)
    talk |= listed.talk
    documents |= listed.documents
    denials |= listed.denials
  }
  return (
    (every &
      (hasCode ? labels : talk | documents) &
      ~(documents & denials) &
      ~(QUESTION_MARK.test(text) ? asks : 0)) !==
    0
  )
}

/** Index where an introduction ends: before a question word, or after a word that ends one. */
function startOf(said: readonly Word[]): number {
  let [start, every, talk, leads] = [0, ~0, 0, 0]
  for (const { at, listed } of said) {
    // Before another question word there must be small talk again: "por qué" is one.
    if (every & talk & (leads | listed.asks)) [start, talk] = [at, 0]
    every &= listed.any
    talk |= listed.talk
    leads = listed.leads
  }
  return start
}

/** Index where small talk at the end begins. */
function endOf(said: readonly Word[], without: number): number {
  let [end, every] = [without, ~0]
  for (const { at, listed } of [...said].reverse()) {
    every &= listed.any
    if (every & listed.ends) end = at
  }
  // In a question of such words alone, they are what is asked about: "How do I say thanks?"
  return every ? without : end
}
