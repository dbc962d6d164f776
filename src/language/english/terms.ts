/** Terms of English texts. */
import { terms as termsIn } from '../../core/text/terms.ts'
import { stem } from './stem.ts'
import { isStopWord } from './stop-words.ts'

/** Terms of a text in order: its stemmed words without stop words. */
export function terms(text: string): string[] {
  return termsIn(text, { isStopWord, stem })
}
