/** Draws questions from a collection's own passages: some consecutive words of a sentence, or the whole sentence. */
import { CROWDED_MARKS } from 'hono-rag-gate/core/text'
import { seededRandom } from './seeded-random.ts'

/** A passage to draw windows from. */
export interface ScalePassage {
  readonly id: string
  readonly documentId: string
  readonly text: string
}

/** A window and its origin. */
export interface ScaleWindow {
  /** The words as in the sentence. */
  readonly question: string
  readonly passageId: string
  readonly documentId: string
}

/** Options of `drawWindows`. */
export interface WindowOptions {
  /** Whole. The same seed draws the same windows from the same passages. */
  readonly seed: number
  /** Maximum number of windows. */
  readonly count: number
  /** Maximum words of a window, 1 and up, from sentences of five and more; `Infinity` for whole ones. @default 5 */
  readonly words?: number
}

/** The best of 3 to 12 words; longer windows ask for less than people's questions do (docs/internal/scale.md). */
const WORDS = 5
/** If there are fewer prose windows than this, and fewer than half of those wanted, tables and code are used too. */
const LEAST_PROSE = 40
/** Attempts per wanted window, because passages may be too short and windows may repeat. */
const DRAWS = 10

/** Letters, digits and punctuation within sentences; excludes code, tables and URLs. */
const PROSE = /^[\p{L}\p{M}\p{N}\s'’,،、，·‐‑–-]+$/u

/**
 * Draws windows of a few words, from one passage after another, in a random order that the seed determines. Words are
 * those of `Intl.Segmenter`, for every script. Windows with signs of code or tables are used only if the collection has
 * little else.
 *
 * @returns distinct windows; fewer than wanted if there are not enough
 */
export function drawWindows(
  passages: readonly ScalePassage[],
  { seed, count, words = WORDS }: WindowOptions,
): readonly ScaleWindow[] {
  const random = seededRandom(seed)
  const order = shuffled(passages, random)
  const prose = new Map<string, ScaleWindow>()
  const others = new Map<string, ScaleWindow>()
  for (let draw = 0; draw < DRAWS * count && order.length > 0 && prose.size < count; draw++) {
    const { id, documentId, text } = order[draw % order.length]!
    const question = windowOf(text, words, random)
    if (question === undefined) continue
    const found = PROSE.test(question) ? prose : others
    found.set(comparable(question), { question, passageId: id, documentId })
  }
  const isEnough = prose.size >= Math.min(LEAST_PROSE, count / 2)
  return [...prose.values(), ...(isEnough ? [] : others.values())].slice(0, count)
}

/** Whether a text contains a window, ignoring differences in characters' forms and spaces. */
export function holdsWindow(window: Pick<ScaleWindow, 'question'>): (text: string) => boolean {
  const wanted = comparable(window.question)
  return (text) => comparable(text).includes(wanted)
}

function comparable(text: string): string {
  return text.replace(CROWDED_MARKS, '').normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ')
}

const sentencesIn = new Intl.Segmenter('und', { granularity: 'sentence' })
const wordsIn = new Intl.Segmenter('und', { granularity: 'word' })

function windowOf(text: string, length: number, random: () => number): string | undefined {
  const sentences = Array.from(sentencesIn.segment(text), ({ segment }) => ({
    sentence: segment,
    words: Array.from(wordsIn.segment(segment)).filter(({ isWordLike }) => isWordLike),
  })).filter(({ words }) => words.length >= WORDS)
  const chosen = sentences[Math.floor(random() * sentences.length)]
  if (chosen === undefined) return undefined
  const { sentence, words } = chosen
  const count = Math.min(length, words.length)
  const at = Math.floor(random() * (words.length - count + 1))
  const last = words[at + count - 1]!
  return sentence.slice(words[at]!.index, last.index + last.segment.length)
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const order = [...items]
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[order[at], order[other]] = [order[other]!, order[at]!]
  }
  return order
}
