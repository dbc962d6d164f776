/** Learning a collection's scale: windows of its passages are asked with their own text left out. */
import type { ConfidenceScale } from 'hono-rag-gate/core/scale'
import { type Language, words } from 'hono-rag-gate/core/text'
import { drawWindows, holdsWindow, type ScalePassage, type ScaleWindow } from './windows.ts'
import { type ScaleObservation, scaleOf, USUAL_REFUSED } from './scale-of-windows.ts'

/** Says which passages a retrieval must not return. */
export type LeaveOut = (passage: ScalePassage) => boolean

/** How a window is asked. */
export interface AskWindow<Found> {
  /**
   * Finds evidence without the passages that are left out, as deep as without them. The retrievals of one window come one
   * after the other with the same words.
   */
  readonly retrieve: (question: string, leaveOut: LeaveOut) => Promise<Found>
  /** Confidence of the policy as its scale reads it, 0..1; `undefined` where it refuses the question for itself. */
  readonly confidence: (found: Found) => number | undefined
  /**
   * Score of the best passage by a model that reads meaning.
   *
   * @default words alone
   */
  readonly meaning?: (found: Found) => number | undefined
  /** Kind of that score. @default 'cosine' */
  readonly kind?: string
}

/** How a scale is learned. */
export interface LearnFromWindowsOptions<Found> extends AskWindow<Found> {
  /** All passages of the collection, or some drawn evenly. */
  readonly passages: readonly ScalePassage[]
  /**
   * In which the policy reads. Whether a collection is written in it is seen by the stop words of its windows.
   * @default none: every collection is in another
   */
  readonly language?: Pick<Language, 'isStopWord'> | undefined
  /** @default 1 */
  readonly seed?: number
  /** Windows asked, 1 and up. @default 200 */
  readonly windows?: number
  /** Asked before each window: once it says so, no more are asked. @default never */
  readonly isOver?: () => boolean
}

/**
 * Sentences asked for meaning, for each window: questions have higher cosines than a few words, and about
 * those of sentences (docs/internal/scale.md).
 */
const SENTENCES_FOR_MEANING = 0.5
/** Passages below which a collection has no scale of its own. */
const LEAST_PASSAGES = 20
/** Share of stop words from which a collection is written in their language. */
const LEAST_STOP_WORDS = 0.2
/** A document with a larger share of the passages is not left out: nothing would be left to find. */
const LARGEST_DOCUMENT = 0.5

/**
 * Learns the scale of a collection, without labels. Takes two retrievals a window, or one where the same words are
 * retrieved once; where there are scores of meaning, three more for half as many sentences.
 *
 * @returns `undefined` for fewer than 20 passages, or where too few windows could be asked
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

/** Whether stop words of a language stand in the windows as often as in its texts: 35 to 51 % in English, 0 to 4 in others. */
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

/** Documents that hold more than half of the passages. */
export function largeDocuments(passages: readonly ScalePassage[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { documentId } of passages) counts.set(documentId, (counts.get(documentId) ?? 0) + 1)
  const large = [...counts].filter(([, count]) => count > LARGEST_DOCUMENT * passages.length)
  return new Set(large.map(([id]) => id))
}

/**
 * Asks one window: without its passage and every other that holds it, and without its document as well.
 *
 * @param large documents that are never left out
 * @param ways what is left out, in turn
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
