/** A cache of recently used values. */
export interface Recent<Key, Kept> {
  readonly get: (key: Key) => Kept | undefined
  readonly keep: (key: Key, kept: Kept) => void
}

/**
 * Makes a cache that keeps at least the `most` last used values, and at most twice as many.
 *
 * @param most 1 and up
 */
export function createRecent<Key, Kept>(most: number): Recent<Key, Kept> {
  let latest = new Map<Key, Kept>()
  let before: ReadonlyMap<Key, Kept> = latest
  const keep = (key: Key, kept: Kept): void => {
    if (latest.size >= most) {
      before = latest
      latest = new Map()
    }
    latest.set(key, kept)
  }
  return {
    keep,
    get(key) {
      const known = latest.get(key)
      if (known !== undefined) return known
      const earlier = before.get(key)
      if (earlier !== undefined) keep(key, earlier)
      return earlier
    },
  }
}
