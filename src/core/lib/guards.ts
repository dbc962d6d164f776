/** Type guards for unknown values. */

/** Whether a value is an object with named members. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member at a path of own property names; `undefined` if the path does not exist. */
export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, name) => (isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value)
}
