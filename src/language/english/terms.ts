/** The terms that English texts are counted by. */
import { terms as termsIn } from '../../core/text/terms.ts'
import { stem } from './stem.ts'
import { isStopWord } from './stop-words.ts'

/** The terms of a text in order: stemmed words, stop words left out. */
export function terms(text: string): string[] {
  return termsIn(text, { isStopWord, stem })
}
