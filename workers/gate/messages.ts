/** Refusals and cautions by `Accept-Language`; the texts are assets, loaded on first use. */
import { messagesIn, preferredLanguage, type Texts } from '@hono-rag-gate/messages'

/** Languages under `public/v1/messages`. */
const LANGUAGES = ['ar', 'de', 'es', 'fr', 'zh']

/** Texts loaded by this isolate. */
const read: Record<string, Texts> = {}

/** Texts in the loaded languages; English until then. */
export const MESSAGES = messagesIn(read)

/** Loads the texts of the request's preferred language. If that fails, it is logged and English is used. */
export async function readMessages({ headers, url }: Request, assets?: Fetcher): Promise<void> {
  const language = preferredLanguage(headers.get('accept-language') ?? '', (tag) => LANGUAGES.includes(tag))
  if (assets === undefined || language === '' || Object.hasOwn(read, language)) return
  try {
    const response = await assets.fetch(new URL(`/v1/messages/${language}.json`, url))
    read[language] = await response.json()
  } catch (thrown) {
    console.warn(`[rag-gate] no messages in ${language}: ${String(thrown)}`)
  }
}
