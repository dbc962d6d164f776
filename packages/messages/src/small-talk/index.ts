/** Small talk of eighteen languages, left out of questions. */
import { arabic } from './languages/arabic.ts'
import { chinese } from './languages/chinese.ts'
import { dutch } from './languages/dutch.ts'
import { french } from './languages/french.ts'
import { german } from './languages/german.ts'
import { greek } from './languages/greek.ts'
import { hindi } from './languages/hindi.ts'
import { italian } from './languages/italian.ts'
import { japanese } from './languages/japanese.ts'
import { korean } from './languages/korean.ts'
import { polish } from './languages/polish.ts'
import { portuguese } from './languages/portuguese.ts'
import { romanian } from './languages/romanian.ts'
import { russian } from './languages/russian.ts'
import { spanish } from './languages/spanish.ts'
import { thai } from './languages/thai.ts'
import { turkish } from './languages/turkish.ts'
import { vietnamese } from './languages/vietnamese.ts'
import type { SmallTalk } from './word-groups.ts'

export { withSmallTalk } from './with-small-talk.ts'
export type { SmallTalk } from './word-groups.ts'
export {
  arabic,
  chinese,
  dutch,
  french,
  german,
  greek,
  hindi,
  italian,
  japanese,
  korean,
  polish,
  portuguese,
  romanian,
  russian,
  spanish,
  thai,
  turkish,
  vietnamese,
}

/** All of them. */
export const languages: readonly SmallTalk[] = [
  arabic,
  chinese,
  dutch,
  french,
  german,
  greek,
  hindi,
  italian,
  japanese,
  korean,
  polish,
  portuguese,
  romanian,
  russian,
  spanish,
  thai,
  turkish,
  vietnamese,
]
