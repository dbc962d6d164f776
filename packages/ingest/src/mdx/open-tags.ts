/** Tracks the open elements of MDX. */
import type { Tag } from './tags.ts'

/** An open element. */
export interface OpenTag {
  readonly name: string
  /** Indentation of its content; unknown before its first line. */
  indent?: number
  /** Labels of the tabs in it by value, and those of tabs to come. */
  readonly labels: ReadonlyMap<string, string> | undefined
  readonly next: Iterator<string, undefined> | undefined
}

/** Start of a closing tag; a fragment has no name. */
const CLOSING = /<\/([A-Za-z][\w.-]*)?/g

/** The open elements of a text. */
export class OpenTags {
  readonly #text: string
  readonly #open: OpenTag[] = []
  readonly #count = new Map<string, number>()
  #lastClosing: ReadonlyMap<string, number> | undefined

  constructor(text: string) {
    this.#text = text
  }

  get innermost(): OpenTag | undefined {
    return this.#open.at(-1)
  }

  /** Whether a tag of this name is closed later; one that is not would remove indentation from everything after it. */
  isClosedAfter({ name, start }: Tag): boolean {
    this.#lastClosing ??= new Map([...this.#text.matchAll(CLOSING)].map(({ 1: closed = '', index }) => [closed, index]))
    return (this.#lastClosing.get(name) ?? -1) > start
  }

  /** Number of open elements of a name. */
  count(name: string): number {
    return this.#count.get(name) ?? 0
  }

  /** A tag with its title: the element around a tab may have a label for it. Every tab is asked for, in order. */
  titled(tag: Tag): Tag {
    const { title, value } = tag
    if (value === undefined) return tag
    const { labels, next } = this.innermost ?? {}
    const label = next?.next().value
    const shown = title ?? (value === '' ? label : (labels?.get(value) ?? value))
    return shown === undefined ? tag : { ...tag, title: shown }
  }

  begin({ name, labels }: Tag): void {
    this.#open.push({ name, labels, next: labels?.values() })
    this.#count.set(name, this.count(name) + 1)
  }

  /** Ends the innermost element of this name, and those open within it. */
  end(name: string): void {
    if (this.count(name) === 0) return
    for (let ended: string | undefined; ended !== name;) {
      ended = this.#open.pop()!.name
      this.#count.set(ended, this.count(ended) - 1)
    }
  }
}
