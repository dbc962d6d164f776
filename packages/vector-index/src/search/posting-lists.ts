import { DimensionTable } from './dimension-table.ts'

/** What is known of a list: its first entry, entries used (deleted ones too), entries reserved, entries not deleted. */
const START = 0
const LENGTH = 1
const ROOM = 2
const LIVE = 3
const HEAD = 4

/** Deleted entries from which on clearing them away is worth while. */
const MANY_DELETED = 1024

/** The entries of a dimension: `from` up to `to` of both arrays. Good until the next write. */
export interface PostingList {
  /** Slots, rising; of a deleted entry the complement of its slot, which is negative. */
  readonly slots: Int32Array
  readonly values: Float32Array
  readonly from: number
  readonly to: number
}

/**
 * Inverted lists: for each dimension the slots that have it, and their values. All of them lie in two typed arrays,
 * eight bytes an entry. A list that outgrows its room moves to the end, and a deleted entry stays as a mark; what both
 * leave behind is cleared away when the arrays are full, or when more entries are deleted than not.
 */
export class PostingLists {
  #table = new DimensionTable()
  #heads = new Int32Array(HEAD * 64)
  #slots = new Int32Array(256)
  #values = new Float32Array(256)
  /** Where the next list goes. */
  #end = 0
  #live = 0
  #deleted = 0

  /** Bytes held, those in reserve too. */
  get byteLength(): number {
    return this.#table.byteLength + this.#heads.byteLength + this.#slots.byteLength + this.#values.byteLength
  }

  /** Dimensions that have a list, an empty one too. */
  get dimensionCount(): number {
    return this.#table.size
  }

  /** Whether a dimension has a list. */
  knows(dimension: number): boolean {
    return this.#table.find(dimension) >= 0
  }

  /** Gives back what is held in reserve: the next entry moves everything once. */
  compact(): void {
    this.#rebuild(0, exactly)
  }

  /** How many slots have a dimension. */
  count(dimension: number): number {
    const list = this.#table.find(dimension)
    return list < 0 ? 0 : this.#heads[list * HEAD + LIVE]!
  }

  /** The entries of a dimension; `undefined` when it never had any. */
  list(dimension: number): PostingList | undefined {
    const list = this.#table.find(dimension)
    if (list < 0) return undefined
    const from = this.#heads[list * HEAD + START]!
    return { slots: this.#slots, values: this.#values, from, to: from + this.#heads[list * HEAD + LENGTH]! }
  }

  /** Value of a slot in a dimension; 0 when it does not have it. */
  valueAt(dimension: number, slot: number): number {
    const list = this.#table.find(dimension)
    if (list < 0) return 0
    const at = this.#placeOf(list * HEAD, slot)
    return at < this.#endOf(list * HEAD) && this.#slots[at] === slot ? this.#values[at]! : 0
  }

  /** Gives a slot a value in a dimension; to one that it has, the value is added in float32. */
  add(dimension: number, slot: number, value: number): void {
    const head = this.#headWithRoom(dimension)
    const at = this.#placeOf(head, slot)
    const end = this.#endOf(head)
    if (at < end && this.#slots[at] === slot) {
      this.#values[at]! += value
      return
    }
    if (at < end && this.#slots[at] === ~slot) this.#deleted--
    else {
      this.#slots.copyWithin(at + 1, at, end)
      this.#values.copyWithin(at + 1, at, end)
      this.#heads[head + LENGTH]!++
    }
    this.#slots[at] = slot
    this.#values[at] = value
    this.#heads[head + LIVE]!++
    this.#live++
  }

  /** Takes a dimension from a slot, if it has it. */
  remove(dimension: number, slot: number): void {
    const list = this.#table.find(dimension)
    if (list < 0) return
    const head = list * HEAD
    const at = this.#placeOf(head, slot)
    if (at === this.#endOf(head) || this.#slots[at] !== slot) return
    this.#slots[at] = ~slot
    this.#heads[head + LIVE]!--
    this.#live--
    this.#deleted++
    if (this.#deleted > MANY_DELETED && this.#deleted > this.#live) this.#rebuild(0)
  }

  #endOf(head: number): number {
    return this.#heads[head + START]! + this.#heads[head + LENGTH]!
  }

  /** First entry of a list whose slot, deleted or not, is not below `slot`; its end when all are. */
  #placeOf(head: number, slot: number): number {
    const slots = this.#slots
    let low = this.#heads[head + START]!
    let high = this.#endOf(head)
    // Loading appends: the common case needs no search.
    if (high > low && slotOf(slots[high - 1]!) < slot) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      if (slotOf(slots[middle]!) < slot) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Head of a dimension's list, which has room for one entry more. */
  #headWithRoom(dimension: number): number {
    const head = this.#headOf(dimension)
    const length = this.#heads[head + LENGTH]!
    if (length < this.#heads[head + ROOM]!) return head
    const room = length + (length >> 1) + 1
    if (this.#end + room > this.#slots.length) {
      this.#rebuild(room)
      return this.#headWithRoom(dimension)
    }
    const start = this.#heads[head + START]!
    this.#slots.copyWithin(this.#end, start, start + length)
    this.#values.copyWithin(this.#end, start, start + length)
    this.#heads[head + START] = this.#end
    this.#heads[head + ROOM] = room
    this.#end += room
    return head
  }

  #headOf(dimension: number): number {
    const head = this.#table.take(dimension) * HEAD
    if (head === this.#heads.length) {
      const heads = new Int32Array(this.#heads.length * 2)
      heads.set(this.#heads)
      this.#heads = heads
    }
    return head
  }

  /** Moves what is not deleted to new arrays, with room to spare in each list and behind them for `more` entries. */
  #rebuild(more: number, spared: (entries: number) => number = withSpare): void {
    const before = { table: this.#table, heads: this.#heads, slots: this.#slots, values: this.#values }
    let needed = 0
    for (let list = 0; list < before.table.size; list++) needed += spared(before.heads[list * HEAD + LIVE]!)
    const capacity = Math.max(256, spared(needed + more))
    this.#table = new DimensionTable()
    this.#heads = new Int32Array(before.heads.length)
    this.#slots = new Int32Array(capacity)
    this.#values = new Float32Array(capacity)
    this.#end = 0
    this.#deleted = 0
    before.table.dimensions().forEach((dimension, list) => {
      const head = list * HEAD
      const live = before.heads[head + LIVE]!
      if (live === 0) return
      let to = this.#end
      const from = before.heads[head + START]!
      for (let at = from; at < from + before.heads[head + LENGTH]!; at++) {
        if (before.slots[at]! < 0) continue
        this.#slots[to] = before.slots[at]!
        this.#values[to++] = before.values[at]!
      }
      this.#heads.set([this.#end, live, spared(live), live], this.#headOf(dimension))
      this.#end += spared(live)
    })
  }
}

const slotOf = (entry: number): number => (entry < 0 ? ~entry : entry)

/** A quarter. */
const withSpare = (entries: number): number => entries + (entries >> 2)

const exactly = (entries: number): number => entries
