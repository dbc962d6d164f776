/**
 * Memoises `make` per object, for as long as the object lives; after an error it is called again.
 *
 * @param make must not return `undefined`
 */
export function oncePer<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>()
  return (key) => {
    const made = known.get(key) ?? make(key)
    known.set(key, made)
    return made
  }
}
