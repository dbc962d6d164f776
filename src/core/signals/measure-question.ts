/** Measuring a question with its parts. */
import type { Evidence } from '../evidence/evidence.ts'
import type { Lexicon } from '../text/lexicon.ts'
import type { Language, QuestionParts } from '../text/language.ts'
import { partsAtMarks } from '../text/marked-sentences.ts'
import { stretchesOf } from '../text/stretches.ts'
import { plainTermReader, type TermReader } from '../text/terms.ts'
import { measure, measurePart, type Signals } from './measure.ts'
import { type ChunkFeatures, read, type TextFeatures } from './text-features.ts'

/**
 * Measures a question without the talk around it, each of its parts, the stretches of long parts, and the end where nothing
 * was found of it, all against the same evidence. Pure, as `measure` is. A question of one part has no `parts`, one without
 * such stretches no `stretches`.
 *
 * @param question normalised (`normaliseQuestion`)
 * @param lexicon the collection's, or `EMPTY_LEXICON`
 */
export function measureQuestion(
  question: string,
  evidence: Evidence,
  lexicon: Lexicon,
  language: Language | undefined,
): Signals {
  return measureParts((language?.partsOf ?? partsAtMarks)(question), evidence, lexicon, language)
}

/** The same of a question that was taken apart before. */
export function measureParts(
  { bare, parts }: QuestionParts,
  evidence: Evidence,
  lexicon: Lexicon,
  language: Language | undefined,
  reader: TermReader = plainTermReader(language),
): Signals {
  const measured = (texts: readonly string[]) => texts.map((text) => measurePart(text, evidence, lexicon, reader))
  const features = read(bare, evidence, lexicon, reader)
  const stretches = [...stretchesOf(parts, language), ...unsaidEnd(features)]
  return Object.freeze({
    ...measure(bare, evidence, lexicon, reader, features),
    ...(parts.length > 1 ? { parts: measured(parts) } : {}),
    ...(stretches.length > 0 ? { stretches: measured(stretches) } : {}),
  })
}

/** Distinct terms of the end, and before it at least. */
const END_TERMS = 2
const LEAST_BEFORE = 3

/**
 * The last terms of a question, where neither a sentence nor a title of the best chunks holds one of them: what is added
 * behind a question without any mark, and asks something else.
 *
 * @returns at most one stretch, of two terms
 */
function unsaidEnd({ questionTerms, chunks }: TextFeatures): readonly string[] {
  const first = questionTerms.length - END_TERMS
  const holdsEnd = (held: readonly number[]): boolean => held.some((at) => at >= first)
  const isSaid = ({ titled, sentences }: ChunkFeatures): boolean =>
    holdsEnd(titled) || sentences.some(({ held }) => holdsEnd(held))
  if (first < LEAST_BEFORE || chunks.some(isSaid)) return []
  const end = questionTerms.slice(first).map(({ term }) => term)
  return [end.join(' ')]
}
