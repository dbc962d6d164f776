/** English stop words. */
import { setOf } from '../../core/text/set-of.ts'

/** English function words, including question words: they carry no evidence. */
export const STOP_WORDS = setOf(
  'a about above after again against all also am an and any are as at be because been before being below between ' +
    'both but by can cannot could did do does doing don down during each exactly few for from further had has have having he ' +
    'her here hers herself him himself his how i if in into is it its itself just ll me more most my myself no nor ' +
    'not now of off on once only or other our ours ourselves out over own re s same she should so some such t than ' +
    'that the their theirs them themselves then there these they this those through to too u under until up ve very was ' +
    'we were what whats when where which while who whom whose why will with would you your yours yourself yourselves',
)

/** Whether a lower-case word is a stop word. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}
