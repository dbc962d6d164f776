/**
 * A deep, frozen copy of plain data, so that neither the copy nor the original can be changed through it. Values other than
 * plain objects and lists are not copied.
 *
 * @throws `RangeError` for cyclic data
 */
export function frozenCopy<Plain>(value: Plain): Plain
export function frozenCopy(value: unknown): unknown {
  if (Array.isArray(value)) return Object.freeze(value.map((member) => frozenCopy(member)))
  if (!isPlainObject(value)) return value
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, frozenCopy(member)])))
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
