/** A name as text: databases also number rows, documents and versions. Numbers that may have been rounded are no names. */
export function numbered(name: unknown): unknown {
  return typeof name === 'number' && Math.abs(name) <= Number.MAX_SAFE_INTEGER ? String(name) : name
}
