/** Reads the tags of MDX, and the texts that their attributes display. */
import { type EndOf, textOf } from './expressions.ts'
import { UNENDED_REACH } from './positions.ts'
import { isComponent, ShownAttributes, type ShownTexts } from './shown-attributes.ts'

const NAME = /[A-Za-z][\w.-]*/y
/** Maximum number of expressions in a tag after one without an end. */
const MAX_EXPRESSIONS = 50
export const VOID: ReadonlySet<string> = new Set('area br col embed hr img input link meta source track wbr'.split(' '))

export interface Tag extends ShownTexts {
  readonly name: string
  readonly kind: 'opening' | 'closing' | 'single'
  /** Attributes of HTML by name in lower case; the style as CSS. */
  readonly attributes: ReadonlyMap<string, string>
  readonly start: number
  readonly end: number
}

/** The tags of a text. */
export class Tags {
  readonly #text: string
  readonly #endOfExpression: EndOf
  /** Distance to look for an end; reduced once one was not found. */
  #reach = Infinity

  constructor(text: string, endOfExpression: EndOf) {
    this.#text = text
    this.#endOfExpression = endOfExpression
  }

  /** The tag at `<`; `undefined` if it is not one, as in a comparison. */
  at(start: number): Tag | undefined {
    const text = this.#text
    const attributes = new Map<string, string>()
    const closing = text[start + 1] === '/'
    let at = start + (closing ? 2 : 1)
    // A fragment has no name.
    if (text[at] === '>') return { name: '', kind: closing ? 'closing' : 'opening', attributes, start, end: at + 1 }
    NAME.lastIndex = at
    const name = NAME.exec(text)?.[0]
    if (name === undefined) return undefined
    at += name.length
    if (!/[\s/>]/.test(text[at] ?? '')) return undefined
    const shown = new ShownAttributes(name)
    const found = (kind: Tag['kind'], end: number): Tag => ({ name, kind, attributes, start, end, ...shown.texts() })
    const note = (attribute: string, words: string, source?: string): void => {
      if (isComponent(name) || attribute === 'alt') shown.add(attribute, words, source)
      else noteHtml(attributes, attribute.toLowerCase(), words, source)
    }
    let expressions = 0
    let limit = Math.min(text.length, start + this.#reach)
    while (at < limit) {
      const character = text[at]
      if (character === '>') return found(closing ? 'closing' : 'opening', at + 1)
      if (character === '/' && text[at + 1] === '>') return found('single', at + 2)
      if (character === '<') break
      if (character === '"' || character === "'") {
        const end = text.indexOf(character, at + 1)
        if (end === -1) break
        note(attributeOf(text, at), text.slice(at + 1, end))
        at = end + 1
      } else if (character === '{') {
        const end = this.#endOfExpression(at)
        if (end === undefined) break
        // After a tag without an end others may be searched in vain too.
        if (++expressions > MAX_EXPRESSIONS && this.#reach < Infinity) break
        const value = text.slice(at + 1, end - 1)
        const attribute = attributeOf(text, at)
        note(attribute, textOf(value), value)
        limit = Math.min(text.length, limit + end - at)
        at = end
      } else {
        SWITCH.lastIndex = at
        const [, attribute] = SWITCH.exec(text) ?? []
        if (attribute !== undefined) note(attribute, '')
        at++
      }
    }
    // Otherwise many tags could each search the same text.
    if (at - start > UNENDED_REACH) this.#reach = UNENDED_REACH
    return undefined
  }
}

/** Attributes without a value that matter. */
const SWITCH = /(?<=\s)(hidden|open|reversed|required|deprecated)(?=[\s/>])/y
/** A property of a style. */
const PROPERTY = /([A-Za-z]{1,40})\s*:\s*(?:'([^']*)'|"([^"]*)"|([^\s,'"]+))/g

function noteHtml(attributes: Map<string, string>, attribute: string, words: string, source?: string): void {
  // Whether it is set is unknown.
  if (attribute === 'hidden' && source !== undefined && source.trim() !== 'true') return
  const name = attribute === 'classname' ? 'class' : attribute
  attributes.set(name, name === 'style' && source !== undefined ? cssOf(source) : words)
}

/** The style of an object: `{ fontSize: 0 }` as `font-size:0`. */
function cssOf(source: string): string {
  return [...source.matchAll(PROPERTY)]
    .map(([, name = '', single, double = single, bare = double]) => {
      return `${name.replaceAll(/[A-Z]/g, '-$&')}:${bare}`
    })
    .join(';')
}

/** The attribute whose value begins at `at`; '' for other values. */
function attributeOf(text: string, at: number): string {
  if (!/[=\s]/.test(text[at - 1] ?? '')) return ''
  return /([\w-]+)\s*=\s*$/.exec(text.slice(Math.max(0, at - 100), at))?.[1] ?? ''
}
