/** What the attributes of components display. */
import { capitalised } from '../markdown/admonitions.ts'
import { STRING, stringsOf, textOf } from './expressions.ts'
import { textsOfObjects } from './object-texts.ts'

/** Attributes that are displayed as the title of a component. */
const TITLES = new Set(['title', 'label', 'heading', 'summary', 'caption', 'question', 'header'])
/** Attributes that are displayed as the text of a component. */
const TEXTS = new Set(['text', 'description', 'content', 'answer'])
/** Attributes of components such as `ParamField` that name what is described. */
const FIELD_NAMES = new Set(['name', 'body', 'path', 'query'])
/** Components that are titled by their type, if they have no title. */
const ADMONITIONS = new Set(['Admonition', 'Aside'])
/** Further attributes of these that are displayed. */
const FACTS = new Set(['type', 'default', 'required', 'deprecated'])
/** An object without objects in it, and a member of it. */
const OBJECT = /\{[^{}]*\}/g
const MEMBER = new RegExp(String.raw`(?<![\w$])(label|value)['"]?\s*:\s*(${STRING.source})`, 'g')

export const isComponent = (name: string): boolean => /^[A-Z]|\./.test(name)
const isTab = (name: string): boolean => /Tab(?:Item)?$/.test(name)
const isFile = (name: string): boolean => /(?:^|\.)(?:File|Folder)$/.test(name)

export interface ShownTexts {
  readonly title?: string
  /** Type and default of a parameter. */
  readonly facts?: string
  /** Markdown that other attributes display. */
  readonly content?: string
  /** What describes a picture. */
  readonly alt?: string
  /** Value of a tab, by which its label is found; '' without one. */
  readonly value?: string
  /** Labels of tabs by value, in their order. */
  readonly labels?: ReadonlyMap<string, string>
  /** Name of a file or folder in a tree. */
  readonly file?: string
}

/** Collects what the attributes of one component display. */
export class ShownAttributes {
  readonly #name: string
  #title: string | undefined
  #type = ''
  #value = ''
  #alt = ''
  #file = ''
  #labels: ReadonlyMap<string, string> | undefined
  readonly #facts: string[] = []
  readonly #texts: string[] = []
  readonly #literals: string[] = []

  constructor(name: string) {
    this.#name = name
  }

  /** @param source of an expression */
  add(attribute: string, words: string, source?: string): void {
    const name = this.#name
    const isField = name.endsWith('Field')
    if (TITLES.has(attribute) || (isField && FIELD_NAMES.has(attribute))) {
      this.#title ??= words || withoutTags(source ?? '')
    } else if (attribute === 'alt') this.#alt = words
    else if (attribute === 'value' && isTab(name)) this.#value = words
    else if (attribute === 'name' && isFile(name)) this.#file = words
    else if (attribute === 'type' && ADMONITIONS.has(name)) this.#type = capitalised(words)
    else if (TEXTS.has(attribute) && words !== '') this.#texts.push(words)
    else if (isField && FACTS.has(attribute)) this.#addFact(attribute, words || (source ?? 'true').trim())
    else if (source !== undefined) this.#addLiteral(attribute, source)
  }

  #addFact(attribute: string, value: string): void {
    if (attribute === 'type') this.#facts.push(value)
    else if (attribute === 'default') this.#facts.push(`default ${value}`)
    else if (value === 'true') this.#facts.push(attribute)
  }

  #addLiteral(attribute: string, source: string): void {
    const lines = TEXTS.has(attribute) ? stringsOf(source) : []
    if (lines.length > 0) this.#texts.push(lines.join('\n'))
    else this.#literals.push(source)
    if (this.#name.endsWith('Tabs')) this.#labels ??= labelsOf(source)
  }

  texts(): ShownTexts {
    const title = (this.#title ?? this.#type).replaceAll(/\s+/g, ' ').trim()
    const content = [...this.#texts, ...this.#literals.map(textsOfObjects)].filter(Boolean).join('\n\n')
    return {
      ...(title !== '' && { title }),
      ...(this.#facts.length > 0 && { facts: this.#facts.join(', ') }),
      ...(content !== '' && { content }),
      ...(this.#alt !== '' && { alt: this.#alt }),
      ...(isTab(this.#name) && { value: this.#value }),
      ...(this.#labels !== undefined && { labels: this.#labels }),
      ...(this.#file !== '' && { file: this.#file }),
    }
  }
}

/** The text of an element in an attribute; '' for other code. */
function withoutTags(source: string): string {
  return /^\s*</.test(source) ? source.replaceAll(/<[^<>]*>|\{[^{}]*\}/g, '') : ''
}

/** The labels in a list of strings, or of objects; `undefined` in another. */
function labelsOf(source: string): ReadonlyMap<string, string> | undefined {
  const labels = new Map(stringsOf(source).map((label) => [label, label]))
  for (const [object] of labels.size === 0 ? source.matchAll(OBJECT) : []) {
    const members = new Map([...object.matchAll(MEMBER)].map(([, key = '', string = '']) => [key, textOf(string)]))
    const label = members.get('label')
    if (label !== undefined) labels.set(members.get('value') ?? label, label)
  }
  return labels.size === 0 ? undefined : labels
}
