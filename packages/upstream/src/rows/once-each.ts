/** Bound on what is remembered: beyond it nothing counts as new any more. */
const MOST = 1000

/** Makes a question that is true once for each key, for at most a thousand keys. The keys live as long as it does. */
export function onceEach(): (key: string) => boolean {
  const seen = new Set<string>()
  return (key) => {
    if (seen.has(key) || seen.size >= MOST) return false
    seen.add(key)
    return true
  }
}
