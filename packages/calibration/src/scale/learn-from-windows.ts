/** Learns a collection's scale: windows of its passages are asked as questions, with their own passages left out. */
import type { ConfidenceScale } from 'hono-rag-gate/core/scale'
import { type Language, words } from 'hono-rag-gate/core/text'
import { drawWindows, holdsWindow, type ScalePassage, type ScaleWindow } from './windows.ts'
import { type ScaleObservation, scaleOf, USUAL_REFUSED } from './scale-of-windows.ts'

/** Whether a retrieval must leave out a passage. */
export type LeaveOut = (passage: ScalePassage) => boolean

/** How to ask a window. */
export interface AskWindow<Found> {
  /**
   * Finds evidence without the left-out passages, but with as many passages as otherwise. Calls for one window are
   * consecutive and have the same words.
   */
  readonly retrieve: (question: string, leaveOut: LeaveOut) => Promise<Found>
  /** The policy's confidence as its scale uses it, 0..1; `undefined` if it refuses the question itself. */
  readonly confidence: (found: Found) => number | undefined
  /**
   * Score of the best passage by a semantic model.
   *
   * @default lexical only
   */
  readonly meaning?: (found: Found) => number | undefined
  /** Kind of that score. @default 'cosine' */
  readonly kind?: string
}

/** Options of `learnFromWindows`. */
export interface LearnFromWindowsOptions<Found> extends AskWindow<Found> {
  /** All passages of the collection, or an evenly drawn sample. */
  readonly passages: readonly ScalePassage[]
  /**
   * The policy's language. Whether the collection is written in it is determined by the stop words in its windows.
   * @default none: every collection counts as another language
   */
  readonly language?: Pick<Language, 'isStopWord'> | undefined
  /** @default 1 */
  readonly seed?: number
  /** Number of windows to ask, 1 and up. @default 200 */
  readonly windows?: number
  /** Called before each window; `true` ends learning. @default never */
  readonly isOver?: () => boolean
}

/**
 * Number of whole sentences per window that are asked for the semantic scale: questions have higher cosines than five
 * words, similar to those of sentences (docs/internal/scale.md).
 */
const SENTENCES_FOR_MEANING = 0.5
/** Minimum number of passages for learning a scale. */
const LEAST_PASSAGES = 20
/** Minimum share of stop words for a collection to count as written in their language. */
const LEAST_STOP_WORDS = 0.2
/** A document with a larger share of the passages is not left out, because too little would remain. */
const LARGEST_DOCUMENT = 0.5

/**
 * Learns the scale of a collection, without labels. Needs two retrievals per window, or one if equal words are
 * retrieved once; with semantic scores, three more for half as many sentences.
 *
 * @returns `undefined` for fewer than 20 passages, or if too few windows could be asked
 */
export async function learnFromWindows<Found>(
  options: LearnFromWindowsOptions<Found>,
): Promise<ConfidenceScale | undefined> {
  const { passages, language, seed = 1, windows = 200 } = options
  if (passages.length < LEAST_PASSAGES) return undefined
  const drawn = drawWindows(passages, { seed, count: windows })
  const usual = language && isWrittenIn(language, drawn) ? { usual: USUAL_REFUSED } : {}
  const shorter = await observeAll(drawn, options)
  if (shorter.every(({ meaning }) => meaning === undefined)) return scaleOf(shorter, usual)
  const count = Math.ceil(SENTENCES_FOR_MEANING * windows)
  const whole = drawWindows(passages, { seed, count, words: Infinity })
  const sentences = await observeAll(whole, options, ['passage', 'document', 'nothing'])
  return scaleOf(shorter, { sentences, ...usual, ...(options.kind && { kind: options.kind }) })
}

/** Whether the windows' share of stop words is typical of the language: 35 to 51 % in English, else 0 to 4 %. */
export function isWrittenIn({ isStopWord }: Pick<Language, 'isStopWord'>, drawn: readonly ScaleWindow[]): boolean {
  const all = drawn.flatMap(({ question }) => words(question))
  return all.filter(isStopWord).length >= LEAST_STOP_WORDS * all.length
}

async function observeAll<Found>(
  drawn: readonly ScaleWindow[],
  options: LearnFromWindowsOptions<Found>,
  ways?: readonly ScaleObservation['leftOut'][],
): Promise<readonly ScaleObservation[]> {
  const { passages, isOver = () => false } = options
  const large = largeDocuments(passages)
  const observations: ScaleObservation[] = []
  for (const window of drawn) {
    if (isOver()) break
    observations.push(...(await observeWindow(window, options, large, ways)))
  }
  return observations
}

/** Documents with more than half of the passages. */
export function largeDocuments(passages: readonly ScalePassage[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { documentId } of passages) counts.set(documentId, (counts.get(documentId) ?? 0) + 1)
  const large = [...counts].filter(([, count]) => count > LARGEST_DOCUMENT * passages.length)
  return new Set(large.map(([id]) => id))
}

/**
 * Asks a window once for each of `ways`: without its passage and others containing it, also without its document.
 *
 * @param large documents that are never left out
 * @param ways what to leave out, in turn
 */
export async function observeWindow<Found>(
  window: ScaleWindow,
  { retrieve, confidence, meaning }: AskWindow<Found>,
  large: ReadonlySet<string>,
  ways: readonly ScaleObservation['leftOut'][] = ['passage', 'document'],
): Promise<readonly ScaleObservation[]> {
  const holds = holdsWindow(window)
  const isOwn: LeaveOut = ({ id, text }) => id === window.passageId || holds(text)
  const leaving: Readonly<Record<ScaleObservation['leftOut'], LeaveOut>> = {
    passage: isOwn,
    document: (passage) => passage.documentId === window.documentId || isOwn(passage),
    nothing: () => false,
  }
  const observed: ScaleObservation[] = []
  for (const leftOut of ways) {
    if (leftOut === 'document' && large.has(window.documentId)) continue
    const found = await retrieve(window.question, leaving[leftOut])
    observed.push({ leftOut, confidence: confidence(found), meaning: meaning?.(found) })
  }
  return observed
}
