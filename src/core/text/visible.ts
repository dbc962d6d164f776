import { isAscii } from './ascii.ts'

/** Invisible characters: zero-width spaces, soft hyphens, direction marks, variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu

/** Removes invisible characters, so that none can hide or split a word. */
export function visible(text: string): string {
  return isAscii(text) ? text : text.replaceAll(INVISIBLE, '')
}
