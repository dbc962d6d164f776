import type { Path, Step } from './filter.ts'

const IDENTIFIER = /^[^.[]+(?:\[(?:#-)?\d+\])*(?:\.[^.[]+(?:\[(?:#-)?\d+\])*)*$/
const STEP = /\[(?<hash>#-)?(?<digits>\d+)\]|(?<key>[^.[]+)/g

/**
 * Reads an identifier; `undefined` when its dots and brackets lead nowhere. A name goes on to the next dot or opening
 * bracket, as in SQLite's JSON paths, so a closing bracket alone is part of it.
 */
export function parsePath(identifier: string): Path | undefined {
  if (!IDENTIFIER.test(identifier)) return undefined
  return Array.from(identifier.matchAll(STEP), ({ groups = {} }): Step => {
    const { hash, digits, key } = groups
    if (key !== undefined) return { key }
    return hash === undefined ? { index: Number(digits) } : { fromEnd: Number(digits) }
  })
}
