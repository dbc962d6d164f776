import { defined } from '../lib/defined.ts'
import type { Passage } from './chunk.ts'

/** Location of a passage. */
export type Place = Pick<Passage, 'title' | 'section' | 'source'>

/** The location of a passage, without its text; absent members stay absent. */
export function placeOf({ title, section, source }: Place): Place {
  return defined({ title, section, source })
}
