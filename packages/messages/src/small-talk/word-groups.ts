/** The lists of small talk, and words looked up in all languages at once. */
import { words } from 'hono-rag-gate/core/text'

/**
 * The words of small talk in a language, in lower case, separated by spaces; `frag-` stands for all words that begin so. Where
 * words are written without spaces, they are phrases. Words without accents also match those with any; a word may be in
 * several lists. None of them may name a topic (but see `names`), restrict what is asked ("only", "without") or request
 * something else.
 */
export interface SmallTalk {
  /** Greetings, thanks, and words about asking, searching and answering: "hello", "please", "question", "explain". */
  readonly talk: string
  /** Function words and others beside them, which alone are no small talk: "I", "can", "me", "today". */
  readonly beside: string
  /** Negations, which are small talk only without a word for documents: "I found nothing", but not "Do not use the documents". */
  readonly denials: string
  /** Words for documents and sources: "according to the documentation". */
  readonly documents: string
  /**
   * Question words, and those for "whether": small talk before one is left out ("Can you tell me | how …"). A question that
   * begins with one is kept, unless it is also in `talk` or `beside`.
   */
  readonly asks: string
  /** Words that end an introduction, such as that for "that". */
  readonly leads: string
  /** Words with which small talk at the end of a question begins: "please", or the verb in Turkish and Japanese. */
  readonly ends: string
  /** Words before a signature: "regards". */
  readonly closings: string
  /** Words after which those in `names` are a topic: "explain", "find". */
  readonly requests: string
  /**
   * Words that greet or tell, but are no small talk after one of `requests`, unless greeted: "Dear colleagues", but not
   * "Explain my colleagues". Where the request comes last, `requests` are the nouns, and these what follows them: "about".
   */
  readonly names: string
  /** Words that label a number or code, which is left out with them: "order", "number", "customer". */
  readonly labels: string
  /** Whether accents tell words apart, as in Vietnamese, or words are not separated by spaces. @default false */
  readonly exact?: boolean
}

/** The members with words. */
export const GROUPS = [
  'talk',
  'beside',
  'denials',
  'documents',
  'asks',
  'leads',
  'ends',
  'closings',
  'requests',
  'names',
  'labels',
] as const
type Group = (typeof GROUPS)[number]
const EVERY = [...GROUPS, 'any'] as const

/** Languages in which a word is listed, as bits: in each group, and in any. */
type Bits = Record<Group | 'any', number>
export type Listed = Readonly<Bits>

const nowhere = (): Bits => Object.fromEntries(EVERY.map((group) => [group, 0])) as Bits

/** A word of a text. */
export interface Word {
  /** Index of its first character. */
  readonly at: number
  readonly listed: Listed
  /** Whether it is a number or code. */
  readonly isCode: boolean
}

const NOWHERE: Listed = nowhere()

/** A letter of Thai, Japanese or Chinese, which are written without spaces. */
export const UNSPACED = '[\\u0e00-\\u0e7f\\u3041-\\u9fff]'
/**
 * A number, date or code: at most four letters before its first digit, and two at a time after it ("AB-20391"): more could be a
 * message.
 */
export const CODE = '[A-Za-z]{0,4}[-#]?\\p{Nd}(?:[A-Za-z]{0,2}[\\p{Nd}./:-]){0,15}[A-Za-z]{0,2}'
const IS_CODE = new RegExp(`^${CODE}$`, 'u')
const WORD = new RegExp(`${CODE}|${UNSPACED}+|(?:(?!${UNSPACED})[\\p{L}\\p{M}\\p{N}])+`, 'gu')
const IS_UNSPACED = new RegExp(`^${UNSPACED}`)
/** Most characters of an entry. */
const LONGEST = 16

/** Reads a clause's words, with the languages in which each is listed. At most 30 languages. */
export function wordReader(languages: readonly SmallTalk[]): (text: string) => readonly Word[] {
  const entries = new Map<string, Bits>()
  const add = (entry: string, group: Group, language: number): void => {
    const bits = entries.get(entry) ?? nowhere()
    entries.set(entry, bits)
    bits[group] |= language
    if (group !== 'labels') bits.any |= language
    if (group === 'ends' || group === 'closings') bits.talk |= language
  }
  for (const [at, language] of languages.entries()) {
    for (const group of GROUPS) {
      const given = language[group].normalize('NFKC').match(/\S+/g) ?? []
      const plain = language.exact ? given : words(language[group])
      for (const [index, entry] of given.entries()) {
        add(entry, group, 1 << at)
        if (!entry.startsWith(plain[index] ?? '')) add(plain[index]! + (entry.endsWith('-') ? '-' : ''), group, 1 << at)
      }
    }
  }

  const exact = languages.reduce((sum, language, at) => sum | (language.exact ? 1 << at : 0), 0)

  /** In any language, as it is or without accents, whole or by its beginning. */
  const spaced = (word: string): Listed => {
    const found = nowhere()
    for (const form of new Set([word, words(word).join('')])) {
      const beginnings = Array.from({ length: Math.min(form.length, LONGEST) }, (_, at) => `${form.slice(0, at + 1)}-`)
      for (const entry of [form, ...beginnings]) {
        const bits = entries.get(entry)
        if (bits !== undefined) for (const group of EVERY) found[group] |= bits[group] & (form === word ? ~0 : ~exact)
      }
    }
    return found
  }

  /** The longest phrases, each in a language of the one before it. */
  const unspaced = (run: string, start: number): readonly Word[] => {
    const found: Word[] = []
    let before = ~0
    for (let at = 0, length: number; at < run.length; at += length) {
      const listed = (): Listed => entries.get(run.slice(at, at + length)) ?? NOWHERE
      const isIn = (): number => listed().any | listed().labels
      for (length = LONGEST; length > 1 && (isIn() & before) === 0;) length--
      before = isIn() || ~0
      found.push({ at: start + at, listed: listed(), isCode: false })
    }
    return found
  }

  return (text) => {
    let [before, greeting, requests] = [~0, 0, 0]
    const said = Array.from(text.matchAll(WORD), ({ 0: word, index }) =>
      IS_UNSPACED.test(word)
        ? unspaced(word, index)
        : [{ at: index, listed: spaced(word.toLowerCase()), isCode: IS_CODE.test(word) }],
    )
    return said.flat().map(({ listed, ...word }) => {
      const any = listed.any & ~(requests & listed.names & ~greeting)
      // After a word that is not listed, it may be the end of a longer one.
      requests |= listed.requests & before
      greeting = listed.talk & ~(listed.ends | listed.requests)
      before = listed.any
      return { ...word, listed: { ...listed, any } }
    })
  }
}
