/**
 * Keeps a value as the newest of a map, and as many others as there is room for: of more, those go that were kept longest
 * ago.
 *
 * @param room entries at most, 1 and up
 */
export function keepNewest<Value>(map: Map<string, Value>, key: string, value: Value, room: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= room) return
    map.delete(oldest)
  }
}
