/** Fields by name: from the identifier in a filter to the value in a row's metadata. */
import type { ExactJson } from '../exact-json.ts'
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

/** The value at the end of a path; `undefined` when there is none. */
export function valueAt(metadata: ExactJson | undefined, path: Path): ExactJson | undefined {
  let value = metadata
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = 'key' in step ? memberOf(value, step.key) : elementOf(value, step)
  }
  return value
}

function memberOf(value: Extract<ExactJson, object>, key: string): ExactJson | undefined {
  if (Array.isArray(value) || !Object.hasOwn(value, key)) return undefined
  // An object of JSON that is not a list.
  return (value as { readonly [key: string]: ExactJson })[key]
}

function elementOf(
  value: Extract<ExactJson, object>,
  step: { readonly index: number } | { readonly fromEnd: number },
): ExactJson | undefined {
  if (!Array.isArray(value)) return undefined
  const elements: readonly ExactJson[] = value
  return elements['index' in step ? step.index : elements.length - step.fromEnd]
}
