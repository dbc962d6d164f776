/** Text processing: normalisation, words, terms, sentences; the collection lexicon. */
export { BM25_B, BM25_K1 } from './bm25.ts'
export { codeSpans, mapCode } from './code-spans.ts'
export type { Language } from './language.ts'
export {
  buildLexicon,
  decodeLexicon,
  EMPTY_LEXICON,
  encodeLexicon,
  idfMass,
  type Lexicon,
  updateLexicon,
} from './lexicon.ts'
export { normaliseQuestion } from './normalise.ts'
export { requireQuestion } from './question.ts'
export { sentenceEnds, sentences } from './sentences.ts'
export { createTermReader } from './term-reader.ts'
export { terms } from './terms.ts'
export { visible } from './visible.ts'
export { CROWDED_MARKS, words } from './words.ts'
