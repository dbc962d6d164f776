/** The collection lexicon against a background of everyday English. */
import { englishLexicon } from './english.ts'
import type { Lexicon, TermCounts } from './text/lexicon.ts'

/** Chunks of everyday English for each chunk of the collection. */
const SHARE = 0.25

/** A small collection stands among this many: a word in two of its three chunks is not common for that. */
const LEAST_CHUNKS = 100

/** By lexicon: a collection's is the same object from question to question, and is asked for the same terms. */
const MADE = new WeakMap<Lexicon, TermCounts>()

/**
 * The collection as a part of a larger one that also holds everyday English. What a question can ask about is rare in
 * both: a word that a small or narrow collection happens not to use is still common, and says little when it is missing.
 *
 * @param lexicon the collection's; of nothing, everyday English is left
 */
export function amongEnglish(lexicon: Lexicon): TermCounts {
  const known = MADE.get(lexicon)
  if (known !== undefined) return known
  const made = addEnglish(lexicon)
  MADE.set(lexicon, made)
  return made
}

function addEnglish(lexicon: Lexicon): TermCounts {
  const english = englishLexicon()
  const chunks = Math.max(LEAST_CHUNKS, SHARE * lexicon.chunkCount)
  const scale = chunks / english.chunkCount
  const chunkCount = lexicon.chunkCount + chunks
  const counted = new Map<string, number>()
  const count = (term: string): number => {
    const made =
      Math.min(lexicon.documentFrequency.get(term) ?? 0, lexicon.chunkCount) +
      scale * (english.documentFrequency.get(term) ?? 0)
    // What neither has met is made up by whoever asks, without end.
    if (made > 0) counted.set(term, made)
    return made
  }
  return {
    chunkCount,
    // How long chunks are, the collection knows best.
    termCount:
      lexicon.termCount > 0 ? lexicon.termCount * (chunkCount / lexicon.chunkCount) : english.termCount * scale,
    documentFrequency: { get: (term) => counted.get(term) ?? count(term) },
  }
}
