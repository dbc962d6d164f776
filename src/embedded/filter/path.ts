/** Fields by name: from the identifier in a filter to the path by which SQLite finds the value. */
import type { Path, Step } from './filter.ts'

const IDENTIFIER = /^[^.[\]]+(?:\[(?:#-)?\d+\])*(?:\.[^.[\]]+(?:\[(?:#-)?\d+\])*)*$/
const STEP = /\[(?<hash>#-)?(?<digits>\d+)\]|(?<key>[^.[\]]+)/g

/** Reads an identifier; `undefined` when its dots and brackets lead nowhere. */
export function parsePath(identifier: string): Path | undefined {
  if (!IDENTIFIER.test(identifier)) return undefined
  return Array.from(identifier.matchAll(STEP), ({ groups = {} }): Step => {
    const { hash, digits, key } = groups
    if (key !== undefined) return { key }
    return hash === undefined ? { index: Number(digits) } : { fromEnd: Number(digits) }
  })
}

/** The path as SQLite's JSON functions read it. Names are quoted; an identifier has no character that ends a quotation. */
export function jsonPath(path: Path): string {
  const steps = path.map((step) => {
    if ('key' in step) return `."${step.key}"`
    return 'index' in step ? `[${step.index}]` : `[#-${step.fromEnd}]`
  })
  return `$${steps.join('')}`
}
