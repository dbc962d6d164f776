/** Finds the imports and exports of MDX. */
import { lineAt, UNENDED_REACH } from './positions.ts'

const IMPORT = /^import\s+(?:type\s+)?(?:['"{*]|[\w$]+\s*,\s*[{*]|[\w$]+\s+from\s*(?:['"]|$))/
const EXPORT = /^export\s+(?:const|let|var|function|class|default|async|type|interface|\{|\*)/

/** The imports and exports of a text. */
export class Programs {
  readonly #text: string
  /** Distance to look for an end; reduced once one was not found. */
  #reach = Infinity
  /** Net number of opened brackets by start of line, cached because several searches may cover the same lines. */
  readonly #depths = new Map<number, number>()

  constructor(text: string) {
    this.#text = text
  }

  /** A block of imports or exports ends at a blank line with all brackets closed. @returns `at` if none begins */
  endAt(at: number): number {
    const text = this.#text
    const first = lineAt(text, at)
    if (!IMPORT.test(first) && !EXPORT.test(first)) return at
    const limit = Math.min(text.length, at + this.#reach)
    let depth = 0
    let here = at
    while (here < limit) {
      const line = lineAt(text, here)
      if (line.trim() === '' && depth <= 0) break
      depth += this.#depthOf(line, here)
      here += line.length + 1
    }
    if (depth <= 0) return Math.min(text.length, here)
    // An unclosed bracket would remove the whole text.
    this.#reach = UNENDED_REACH
    return Math.min(text.length, at + first.length + 1)
  }

  #depthOf(line: string, at: number): number {
    let depth = this.#depths.get(at)
    if (depth === undefined) {
      depth = 0
      for (const [bracket] of line.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, '').matchAll(/[([{}\])]/g))
        depth += '([{'.includes(bracket) ? 1 : -1
      this.#depths.set(at, depth)
    }
    return depth
  }
}
