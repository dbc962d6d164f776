/**
 * `HTMLRewriter` for tests in plain Node, where a mutant takes a tenth of the time: workerd reads each page
 * (`html-reporter.ts`), and the calls of the handlers are repeated here.
 */

interface Tag {
  readonly tagName: string
  getAttribute(name: string): string | null
  onEndTag(handler: () => void): void
}

type Call =
  | { readonly name: string; readonly attributes: readonly (readonly [string, string])[]; readonly isVoid: boolean }
  /** The index of the call for the start tag. */
  | { readonly ends: number }
  | { readonly text: string; readonly lastInTextNode: boolean }

class RewriterInNode {
  #selector = ''
  #element: (tag: Tag) => void = () => undefined
  #text: (chunk: Extract<Call, { text: string }>) => void = () => undefined

  on(selector: string, { element }: { readonly element: (tag: Tag) => void }): this {
    this.#selector = selector
    this.#element = element
    return this
  }

  onDocument({ text }: { readonly text: (chunk: Extract<Call, { text: string }>) => void }): this {
    this.#text = text
    return this
  }

  transform(page: Response): { arrayBuffer(): Promise<void> } {
    return { arrayBuffer: () => this.#read(page) }
  }

  async #read(page: Response): Promise<void> {
    const body = await page.arrayBuffer()
    const headers = { selector: this.#selector }
    const response = await fetch(process.env['HTML_REPORTER'] ?? '', { method: 'POST', headers, body })
    const { calls, failure } = (await response.json()) as { readonly calls: readonly Call[]; readonly failure?: string }
    const atEnd = new Map<number, () => void>()
    for (const [at, call] of calls.entries()) {
      if ('text' in call) this.#text(call)
      else if ('ends' in call) atEnd.get(call.ends)?.()
      else {
        this.#element({
          tagName: call.name,
          getAttribute: (of) => call.attributes.find(([name]) => name === of)?.[1] ?? null,
          onEndTag: (handler) => {
            if (call.isVoid) throw new TypeError('No end tag')
            atEnd.set(at, handler)
          },
        })
      }
    }
    // Else the handlers would have ended the page long before the parser had no more room.
    if (failure !== undefined && calls.length === 0) throw new TypeError(failure)
  }
}

Object.assign(globalThis, { HTMLRewriter: RewriterInNode })
