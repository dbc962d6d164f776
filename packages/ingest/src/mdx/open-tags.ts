/** Tracks the open elements of MDX. */
import type { Tag } from './tags.ts'

/** An open element, and the indentation of its content; unknown before its first line. */
export interface OpenTag {
  readonly name: string
  indent?: number
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

  begin({ name }: Tag): void {
    this.#open.push({ name })
    this.#count.set(name, (this.#count.get(name) ?? 0) + 1)
  }

  /** Ends the innermost element of this name, and those open within it. */
  end(name: string): void {
    if ((this.#count.get(name) ?? 0) === 0) return
    for (let ended: string | undefined; ended !== name;) {
      ended = this.#open.pop()!.name
      this.#count.set(ended, this.#count.get(ended)! - 1)
    }
  }
}
