/**
 * A deep, frozen copy of plain data: its holder can change neither the copy nor what it was made from. What is no
 * plain object or list is kept as it is.
 *
 * @throws `RangeError` for data that holds itself
 */
export function frozenCopy<Plain>(value: Plain): Plain {
  // A copy member by member has the type of what it was copied from.
  return copyOf(value) as Plain
}

function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map(copyOf))
  if (!isPlainObject(value)) return value
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member)])))
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Freezes a value with all that it holds, and gives it back. */
export function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object') {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}
