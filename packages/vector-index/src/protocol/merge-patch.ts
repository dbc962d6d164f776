import type { ExactJson } from '../exact-json.ts'

/**
 * An object with a JSON merge patch applied: members of the patch replace, objects are merged, `null` removes.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7396
 */
export function mergePatch(
  target: Readonly<Record<string, ExactJson>>,
  patch: Readonly<Record<string, ExactJson>>,
): Readonly<Record<string, ExactJson>> {
  const merged = new Map(Object.entries(target))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, isObject(value) ? mergePatch(objectOr(merged.get(name)), value) : value)
  }
  return Object.fromEntries(merged)
}

/** What is no object counts as an empty one. */
function objectOr(value: ExactJson | undefined): Readonly<Record<string, ExactJson>> {
  return isObject(value) ? value : {}
}

function isObject(value: ExactJson | undefined): value is Readonly<Record<string, ExactJson>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
