/** Front matter: the block of settings that many sites put before the text of a page. */
import { parseDocument } from 'yaml'

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

/**
 * Takes the front matter from a text. YAML is read; TOML is only taken out. A text may begin with a ruler (`---`) too: what
 * follows it is front matter only when it sets something.
 */
export function splitFrontMatter(text: string): SplitText {
  const match = BLOCK.exec(text)
  if (match === null) return { body: text, fields: {} }
  const [whole, fence, block = ''] = match
  const body = text.slice(whole.length)
  if (fence === '+++') return { body, fields: {}, fault: 'its front matter is TOML, which is not read' }
  const document = parseDocument(block, { logLevel: 'silent' })
  const [error] = document.errors
  if (error !== undefined) {
    // Prose between two rulers is no YAML either, as a rule.
    if (!/^[\w.-]+[ \t]*:(?:\s|$)/m.test(block)) return { body: text, fields: {} }
    const line = error.linePos?.[0].line
    return { body, fields: {}, fault: `its front matter is no YAML${line === undefined ? '' : `, line ${line + 1}`}` }
  }
  let value: unknown
  try {
    // References that multiply are an error beyond the library's bound.
    value = JSON.parse(JSON.stringify(document.toJS()) ?? 'null')
  } catch {
    return { body, fields: {}, fault: 'its front matter cannot be read' }
  }
  if (value === null) return { body, fields: {} }
  if (typeof value !== 'object' || Array.isArray(value)) return { body: text, fields: {} }
  // An object that is no array has string keys.
  return { body, fields: value as Record<string, unknown> }
}
