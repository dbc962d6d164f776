/** Maximum number of remembered keys; beyond it no key counts as new. */
const MOST = 1000

/** Makes a predicate that is true the first time it sees a key, for at most a thousand keys. */
export function onceEach(): (key: string) => boolean {
  const seen = new Set<string>()
  return (key) => {
    if (seen.has(key) || seen.size >= MOST) return false
    seen.add(key)
    return true
  }
}
