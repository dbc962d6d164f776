/** References to characters in HTML and Markdown: `&amp;`, `&#38;`, `&#x26;`. */
import { type NamedCharacters, readCharacterNames } from './character-names.ts'

/** Read when the first name is met: most texts hold few or none. */
let names: ReadonlyMap<string, NamedCharacters> | undefined

function named(name: string): NamedCharacters | undefined {
  names ??= readCharacterNames()
  return names.get(name)
}

/** The longest name that is read without a semicolon behind it. */
const LONGEST_BARE_NAME = 6

/** What the codes 0x80 to 0x9F mean, which pages used as Windows-1252 does. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8DŽ\x8F\x90‘’“”•–—˜™š›œ\x9DžŸ'

const REFERENCE = /&(?:#(?:x([\da-f]+)|(\d+));?|([a-z][a-z\d]*)(;?))/gi

/** A text of HTML as it is read: the names of old need no semicolon, not even before a letter. */
export function decodeText(html: string): string {
  return decode(html, (name) => {
    for (let length = Math.min(name.length, LONGEST_BARE_NAME); length > 1; length--) {
      const found = named(name.slice(0, length))
      if (found?.bare === true) return found.characters + name.slice(length)
    }
    return undefined
  })
}

/** The value of an attribute as it is read: a name without a semicolon counts only alone, so that `?a=b&copy=1` stays. */
export function decodeAttribute(html: string): string {
  return decode(html, (name, next) => {
    const found = named(name)
    return found?.bare === true && next !== '=' ? found.characters : undefined
  })
}

const WHOLE_REFERENCE = /^&(?:#(?:x[\da-f]+|\d+)|[a-z][a-z\d]*);$/i

/** One reference as Markdown reads it: whole, else it stays. */
export function decodeReference(reference: string): string {
  return WHOLE_REFERENCE.test(reference) ? decode(reference, () => undefined) : reference
}

/** @param withoutSemicolon what a name means that none ends, by what follows it */
function decode(text: string, withoutSemicolon: (name: string, next: string) => string | undefined): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    REFERENCE,
    (reference: string, hex: string | undefined, decimal: string | undefined, name = '', end = '', at = 0) => {
      if (hex !== undefined) return characterOf(parseInt(hex, 16))
      if (decimal !== undefined) return characterOf(parseInt(decimal, 10))
      const whole = end === ';' ? named(name)?.characters : undefined
      const read = whole ?? withoutSemicolon(name, end || text.charAt(at + reference.length))
      return whole ?? (read === undefined ? reference : read + end)
    },
  )
}

/** The character of a code, as the standard reads it: one that is none becomes U+FFFD. */
function characterOf(code: number): string {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\uFFFD'
  return WINDOWS_1252[code - 0x80] ?? String.fromCodePoint(code)
}
