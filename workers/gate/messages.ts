/** Refusals and cautions by `Accept-Language`: languages are assets, and read when they are first asked for. */
import { messagesIn, preferredLanguage, type Texts } from '@hono-rag-gate/messages'

/** Those under `public/v1/messages`. */
const LANGUAGES = ['ar', 'de', 'es', 'fr', 'zh']

/** What this isolate has read. */
const read: Record<string, Texts> = {}

/** In English until a language has been read. */
export const MESSAGES = messagesIn(read)

/** Sees to it that the language that a request prefers is there. One that cannot be read is told, and English stays. */
export async function readMessages({ headers, url }: Request, assets?: Fetcher): Promise<void> {
  const language = preferredLanguage(headers.get('accept-language') ?? '', (tag) => LANGUAGES.includes(tag))
  if (assets === undefined || language === '' || Object.hasOwn(read, language)) return
  try {
    const response = await assets.fetch(new URL(`/v1/messages/${language}.json`, url))
    read[language] = await response.json()
  } catch (thrown) {
    console.warn(`[rag-gate] the messages in ${language} could not be read: ${String(thrown)}`)
  }
}
