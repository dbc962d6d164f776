import type { Context } from 'hono'
import type { ReasonCode, Text } from 'hono-rag-gate/core/gates'
import type { Texts } from './phrases.ts'

/** Texts chosen by a request, for the option `messages`. */
export interface MessagesIn {
  (code: ReasonCode, c: Context): Text | undefined
  /** What of the request they depend on: the language that was chosen, empty for the policy's own. */
  readonly key: (c: Context) => string
}

/**
 * Refusals and cautions in the language that the request prefers, by its `Accept-Language`: `de` serves `de-CH` as well. What
 * names none of them, or prefers English, is sent the policy's own texts. Stored answers are kept for each language apart.
 *
 * @param languages by the first part of their tag, in lower case
 * @example ragGate({ policy: balanced(), messages: messagesIn({ de: GERMAN, fr: FRENCH }), dependencies })
 */
export function messagesIn(languages: Readonly<Record<string, Texts>>): MessagesIn {
  const key = (c: Context): string =>
    preferredLanguage(c.req.header('accept-language'), (tag) => Object.hasOwn(languages, tag))
  const messages = (code: ReasonCode, c: Context): Text | undefined => {
    const texts = languages[key(c)]
    return texts !== undefined && Object.hasOwn(texts, code) ? texts[code] : undefined
  }
  return Object.assign(messages, { key })
}

/** The policies' own texts are in it. */
const OWN = 'en'
/** Ranges read: a header may hold thousands. */
const MOST_RANGES = 20

/**
 * The first part of the tag that an `Accept-Language` prefers among those that there are.
 *
 * @returns empty where it prefers English, or none
 * @see RFC 9110, section 12.5.4
 */
export function preferredLanguage(header = '', isThere: (language: string) => boolean): string {
  let [preferred, highest] = ['', 0]
  for (const range of header.toLowerCase().split(',', MOST_RANGES)) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    const language = tag.split('-', 1)[0]!
    // Of equal ones the first.
    if (quality > highest && (language === OWN || isThere(language))) [preferred, highest] = [language, quality]
  }
  return preferred === OWN ? '' : preferred
}
