import type { Context } from 'hono'
import type { ReasonCode, Text } from 'hono-rag-gate/core/gates'
import { oncePer } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import type { Texts } from './phrases.ts'

/** Texts chosen by the request, for the option `messages`. */
export interface MessagesIn {
  (code: ReasonCode, c: Context): Text | undefined
  /** The chosen language, part of the answer key; empty for the policy's own texts. */
  readonly key: (c: Context) => string
}

/**
 * Sends refusals and cautions in the language preferred by `Accept-Language`; `de` also serves `de-CH`. The policy's
 * own texts are sent if no language matches, or English is preferred. Answers are cached separately by language.
 *
 * @param languages texts by primary language subtag, in lower case
 * @throws `config_invalid` for another name, such as `de-CH`, and for `en`: such texts would never be sent
 * @example ragGate({ policy: balanced(), messages: messagesIn({ de: GERMAN, fr: FRENCH }), dependencies })
 */
export function messagesIn(languages: Readonly<Record<string, Texts>>): MessagesIn {
  const wrong = Object.keys(languages).find((tag) => !/^(?!en$)[a-z]{2,8}$/.test(tag))
  if (wrong !== undefined) {
    throw new RagGateError('config_invalid', `${wrong} is not a language such as de; English is the policy's`, {
      param: wrong,
    })
  }
  // Once a request, so that its texts are those of its answer key if others are loaded meanwhile.
  const key = oncePer((c: Context) =>
    preferredLanguage(c.req.header('accept-language'), (tag) => Object.hasOwn(languages, tag)),
  )
  const messages = (code: ReasonCode, c: Context): Text | undefined => {
    const texts = languages[key(c)]
    return texts !== undefined && Object.hasOwn(texts, code) ? texts[code] : undefined
  }
  return Object.assign(messages, { key })
}

/** Language of the policies' own texts. */
const OWN = 'en'
/** Maximum number of ranges to parse; a header may have thousands. */
const MOST_RANGES = 20

/**
 * The primary subtag of the available language that an `Accept-Language` header prefers.
 *
 * @returns empty if it prefers English, or none is available
 * @see RFC 9110, section 12.5.4
 */
export function preferredLanguage(header = '', isThere: (language: string) => boolean): string {
  let [preferred, highest] = ['', 0]
  for (const range of header.toLowerCase().split(',', MOST_RANGES)) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    const language = tag.split('-', 1)[0]!
    // For equal quality, the first wins.
    if (quality > highest && (language === OWN || isThere(language))) [preferred, highest] = [language, quality]
  }
  return preferred === OWN ? '' : preferred
}
