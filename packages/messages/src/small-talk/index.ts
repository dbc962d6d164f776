/** Small talk of eighteen languages, left out of questions. */
import * as every from './languages/index.ts'
import type { SmallTalk } from './word-groups.ts'

export * from './languages/index.ts'
export { withSmallTalk } from './with-small-talk.ts'
export type { SmallTalk } from './word-groups.ts'

/** All of them. */
export const languages: readonly SmallTalk[] = /* @__PURE__ */ Object.values(every)
