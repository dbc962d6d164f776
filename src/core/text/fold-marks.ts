/** Accents of letters, which people leave out or put elsewhere. */

/** Combining marks of Latin, Greek and Cyrillic letters; those of other scripts are vowels and tones. */
const MARKS = /[\u0300-\u036f]/g

const MAY_HAVE_MARKS = /[\u00c0-\u024f]|[\u0300-\u036f]|[\u0370-\u04ff\u1e00-\u1fff]/

/** A text without the accents of its Latin, Greek and Cyrillic letters: `résumé` and `resume` are one word. */
export function foldMarks(text: string): string {
  return MAY_HAVE_MARKS.test(text) ? text.normalize('NFD').replace(MARKS, '').normalize('NFC') : text
}
