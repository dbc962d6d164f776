/** A name as text: databases also number rows, documents and versions. */
export function numbered(name: unknown): unknown {
  return typeof name === 'number' ? String(name) : name
}
