/** Front matter: the block of metadata that many sites put before the text of a page. */
import { isCollection, parseDocument, visit } from 'yaml'

/** A text without its front matter. */
export interface SplitText {
  readonly body: string
  /** The parsed fields; empty without front matter. JSON values: no dates, no non-finite numbers. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Why the block could not be parsed; it is removed from the text nevertheless. */
  readonly fault?: string
}

/** A block at the very beginning, or after a byte order mark: YAML between `---`, TOML between `+++`. */
const BLOCK = /^\ufeff?(---|\+\+\+)[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??\1[ \t]*(?:\r?\n|$)/
/** A YAML key. */
const SETTING = /^[\w.-]+[ \t]*:(?:\s|$)/m
/** Maximum length of a block, characters: twice the limit of metadata. */
const LONGEST_BLOCK = 32_000

/** The title in TOML: a single-line string before any table. */
const TOML_TITLE = /^(?:(?!\[)[^\n]*\n)*?title[ \t]*=[ \t]*(?:("(?:[^"\\\n]|\\.)*")|'([^'\n]*)')/

/**
 * Splits off the front matter. YAML is parsed; of TOML only the title. A text may also begin with a thematic break
 * (`---`), so a block counts as front matter only if it sets a key.
 */
export function splitFrontMatter(text: string): SplitText {
  const match = BLOCK.exec(text)
  if (match === null) return { body: text, fields: {} }
  const [whole, fence, block = ''] = match
  const body = text.slice(whole.length)
  if (fence === '+++')
    return { body, fields: tomlTitle(block), fault: 'of its front matter, TOML, only the title is read' }
  if (block.length > LONGEST_BLOCK) {
    if (!SETTING.test(block.slice(0, LONGEST_BLOCK))) return { body: text, fields: {} }
    return { body, fields: {}, fault: 'its front matter is too long to be read' }
  }
  let value: unknown
  try {
    // Thousands of nested levels overflow the stack.
    const document = parseDocument(block, { logLevel: 'silent' })
    const [error] = document.errors
    if (error !== undefined) {
      // Prose between two thematic breaks is usually invalid YAML too.
      if (!SETTING.test(block)) return { body: text, fields: {} }
      const line = error.linePos?.[0].line
      return { body, fields: {}, fault: `its front matter is no YAML${line === undefined ? '' : `, line ${line + 1}`}` }
    }
    // A key that is a collection takes time exponential in its depth, and is not valid in JSON.
    visit(document, {
      Pair(_, { key }) {
        if (isCollection(key)) throw new Error('A key is a collection')
      },
    })
    // The library throws if aliases expand beyond its limit.
    value = JSON.parse(JSON.stringify(document.toJS()) ?? 'null')
  } catch {
    if (!SETTING.test(block)) return { body: text, fields: {} }
    return { body, fields: {}, fault: 'its front matter cannot be read' }
  }
  if (value === null) return { body, fields: {} }
  if (typeof value !== 'object' || Array.isArray(value)) return { body: text, fields: {} }
  // An object that is not an array has string keys.
  return { body, fields: value as Record<string, unknown> }
}

function tomlTitle(block: string): { readonly title?: string } {
  const [, quoted = '', literal] = TOML_TITLE.exec(block.slice(0, LONGEST_BLOCK)) ?? []
  if (literal !== undefined) return { title: literal }
  try {
    // TOML basic strings are JSON strings, except for long escapes.
    return { title: JSON.parse(quoted) as string }
  } catch {
    return {}
  }
}
