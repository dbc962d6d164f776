/** Removes accents and other marks within words, which people often omit or place differently. */

/**
 * Combining marks of Latin, Greek and Cyrillic letters; short vowels, madda, hamza and the tatweel of Arabic; the nukta of
 * Devanagari; joiners and soft hyphens. Marks of other scripts are vowels and tones.
 */
const MARKS = /[\u0300-\u036f\u064b-\u0655\u093c\u0640]|\u00ad|\u200c|\u200d/g

const MAY_HAVE_MARKS = /[\u00ad\u00c0-\u093c\u1e00-\u200d]/

/** Removes the accents of letters, so that `résumé` and `resume` are the same word. */
export function foldMarks(text: string): string {
  return MAY_HAVE_MARKS.test(text) ? text.normalize('NFD').replace(MARKS, '').normalize('NFC') : text
}
