/** Texts: normalised, in words, terms and sentences; the collection lexicon. */
export { BM25_K1 } from './bm25.ts'
export { codeSpans } from './code-spans.ts'
export type { Language } from './language.ts'
export {
  EMPTY_LEXICON,
  type Lexicon,
  buildLexicon,
  decodeLexicon,
  encodeLexicon,
  idfMass,
  updateLexicon,
} from './lexicon.ts'
export { sentenceEnds } from './sentences.ts'
export { normaliseQuestion } from './normalise.ts'
export { requireQuestion } from './question.ts'
export { terms } from './terms.ts'
export { mapCode } from './code-spans.ts'
export { sentences } from './sentences.ts'
export { visible } from './visible.ts'
export { words } from './words.ts'
