import type { Passage } from './chunk.ts'

/** Where a passage stands. */
export type Place = Pick<Passage, 'title' | 'section' | 'source'>

/** Where a passage stands, as far as it says so, without its text. */
export function placeOf({ title, section, source }: Place): Place {
  return {
    ...(title === undefined ? {} : { title }),
    ...(section === undefined ? {} : { section }),
    ...(source === undefined ? {} : { source }),
  }
}
