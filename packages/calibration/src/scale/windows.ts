/** Questions that a collection asks itself: a few words in a row from one sentence of a passage, or the sentence. */
import { CROWDED_MARKS } from 'hono-rag-gate/core/text'
import { seededRandom } from './seeded-random.ts'

/** A passage that windows are drawn from. */
export interface ScalePassage {
  readonly id: string
  readonly documentId: string
  readonly text: string
}

/** A window and where it comes from. */
export interface ScaleWindow {
  /** The words as they stand in the sentence. */
  readonly question: string
  readonly passageId: string
  readonly documentId: string
}

/** How windows are drawn. */
export interface WindowOptions {
  /** Whole. The same seed draws the same windows from the same passages. */
  readonly seed: number
  /** Windows drawn, at most. */
  readonly count: number
  /** Words of a window, at most, 1 and up, of sentences of five and up; `Infinity` for whole ones. @default 5 */
  readonly words?: number
}

/** Measured with 3 to 12: more words fit worse, and ask for less than people do (docs/internal/scale.md). */
const WORDS = 5
/** A collection with fewer windows of prose than this, and than half of those wanted, gives its tables and code too. */
const LEAST_PROSE = 40
/** Draws for each window that is wanted: passages may be too short, and windows may come twice. */
const DRAWS = 10

/** Letters, digits and what stands between words of a sentence: no code, no table, no address. */
const PROSE = /^[\p{L}\p{M}\p{N}\s'’,،、，·‐‑–-]+$/u

/**
 * Draws windows of a few words, one for each passage in turn, in an order drawn by the seed. Words are those of
 * `Intl.Segmenter`, in every script. Windows with signs of code or tables are taken only where a collection has little
 * else.
 *
 * @returns as many as were wanted, or fewer; none twice
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

/** Whether a text holds a window, however its letters and spaces are written. */
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
