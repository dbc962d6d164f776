import { isAscii } from './ascii.ts'

/** Invisible characters: zero-width spaces, soft hyphens, marks of direction, variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/** A text as it is seen: without the characters that take no room, so that none of them can hide or part a word. */
export function visible(text: string): string {
  return isAscii(text) ? text : text.replaceAll(INVISIBLE, '')
}
