/** What a value of unknown type is. */

/** Whether a value is an object with named members. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member that a path of names leads to, each its object's own; `undefined` where it ends early. */
export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, name) => (isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value)
}
