/** Front matter: the block of settings that many sites put before the text of a page. */
import { isCollection, parseDocument, visit } from 'yaml'

/** A text without its front matter. */
export interface SplitText {
  readonly body: string
  /** What the block sets; empty without one. JSON: no dates, no numbers that JSON does not have. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Why the block could not be read; it is no part of the text either way. */
  readonly fault?: string
}

/** A block at the very beginning: YAML between `---`, TOML between `+++`. */
const BLOCK = /^(---|\+\+\+)[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??\1[ \t]*(?:\r?\n|$)/
/** A setting of YAML. */
const SETTING = /^[\w.-]+[ \t]*:(?:\s|$)/m
/** Characters of a block that are read: twice what can become metadata. */
const LONGEST_BLOCK = 32_000

/** The title in TOML, a string on one line before any table. */
const TOML_TITLE = /^(?:(?!\[)[^\n]*\n)*?title[ \t]*=[ \t]*(?:("(?:[^"\\\n]|\\.)*")|'([^'\n]*)')/

/**
 * Takes the front matter from a text. YAML is read; of TOML the title alone. A text may begin with a ruler (`---`) too: what
 * follows it is front matter only when it sets something.
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
    // What nests some thousand levels ends the stack.
    const document = parseDocument(block, { logLevel: 'silent' })
    const [error] = document.errors
    if (error !== undefined) {
      // Prose between two rulers is no YAML either, as a rule.
      if (!SETTING.test(block)) return { body: text, fields: {} }
      const line = error.linePos?.[0].line
      return { body, fields: {}, fault: `its front matter is no YAML${line === undefined ? '' : `, line ${line + 1}`}` }
    }
    // A key that is no text takes work that doubles with its depth, and is no JSON.
    visit(document, {
      Pair(_, { key }) {
        if (isCollection(key)) throw new Error('A key is a collection')
      },
    })
    // References that multiply are an error beyond the library's bound.
    value = JSON.parse(JSON.stringify(document.toJS()) ?? 'null')
  } catch {
    if (!SETTING.test(block)) return { body: text, fields: {} }
    return { body, fields: {}, fault: 'its front matter cannot be read' }
  }
  if (value === null) return { body, fields: {} }
  if (typeof value !== 'object' || Array.isArray(value)) return { body: text, fields: {} }
  // An object that is no array has string keys.
  return { body, fields: value as Record<string, unknown> }
}

function tomlTitle(block: string): { readonly title?: string } {
  const [, quoted, literal] = TOML_TITLE.exec(block.slice(0, LONGEST_BLOCK)) ?? []
  if (literal !== undefined) return { title: literal }
  if (quoted === undefined) return {}
  try {
    // Basic strings are JSON's, but for long escapes.
    return { title: JSON.parse(quoted) as string }
  } catch {
    return {}
  }
}
