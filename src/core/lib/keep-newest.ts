/**
 * Adds a value to a map as its newest entry, and removes the oldest entries beyond `room`.
 *
 * @param room most entries, 1 and up
 */
export function keepNewest<Value>(map: Map<string, Value>, key: string, value: Value, room: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= room) return
    map.delete(oldest)
  }
}
