/** The language of every policy: English, and the small talk of others, an asset that is loaded before anything is judged. */
import { withSmallTalk } from '@hono-rag-gate/messages/small-talk'
import type { Language } from 'hono-rag-gate/core/text'
import { english } from 'hono-rag-gate/language/english'

/** Longest wait for it: questions are judged without it then. */
const WAIT_MS = 1000

let loaded = english

/** English only until `readLanguage`. */
export const LANGUAGE: Language = { ...english, partsOf: (question) => loaded.partsOf(question) }

/** Loads the small talk. If that fails, it is logged, and tried again with the next question. */
export async function readLanguage(assets?: Fetcher): Promise<void> {
  if (assets === undefined || loaded !== english) return
  try {
    const response = await assets.fetch('https://assets/v1/small-talk.json', { signal: AbortSignal.timeout(WAIT_MS) })
    if (!response.ok) throw new Error(`status ${response.status}`)
    loaded = withSmallTalk(english, await response.json())
  } catch (thrown) {
    console.warn(`[rag-gate] no small talk: ${String(thrown)}`)
  }
}
