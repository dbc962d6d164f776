const FIRST_LENGTH = 64

/** Gives slots places that lie close together: a place that was freed goes to the next slot that takes one. */
export class Places {
  /** By slot the place plus one; 0 where there is none. */
  #bySlot = new Int32Array(FIRST_LENGTH)
  /** By place the slot. */
  #byPlace = new Int32Array(FIRST_LENGTH)
  readonly #free: number[] = []
  #next = 0

  /** Place of a slot; -1 when it has none. */
  find(slot: number): number {
    return (this.#bySlot[slot] ?? 0) - 1
  }

  /** Slot of a place that is taken. */
  slotAt(place: number): number {
    return this.#byPlace[place]!
  }

  /** Place of a slot, which gets one when it has none. */
  take(slot: number): number {
    const known = this.find(slot)
    if (known >= 0) return known
    const place = this.#free.pop() ?? this.#next++
    this.#bySlot = longEnough(this.#bySlot, slot)
    this.#byPlace = longEnough(this.#byPlace, place)
    this.#bySlot[slot] = place + 1
    this.#byPlace[place] = slot
    return place
  }

  /** Takes a slot's place away. @returns the place; -1 when it had none */
  free(slot: number): number {
    const place = this.find(slot)
    if (place < 0) return -1
    this.#bySlot[slot] = 0
    this.#free.push(place)
    return place
  }
}

function longEnough(numbers: Int32Array<ArrayBuffer>, at: number): Int32Array<ArrayBuffer> {
  if (at < numbers.length) return numbers
  const longer = new Int32Array(Math.max(at + 1, numbers.length + (numbers.length >> 1)))
  longer.set(numbers)
  return longer
}
