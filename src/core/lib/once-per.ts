/**
 * Makes something once for each object, for as long as the object lives; what throws is made again.
 *
 * @param make never gives `undefined`
 */
export function oncePer<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>()
  return (key) => {
    const made = known.get(key) ?? make(key)
    known.set(key, made)
    return made
  }
}
