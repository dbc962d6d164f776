import type { DenseRow, Offered, SlotFilter } from '../scan.ts'
import { BLOCK_ROWS, blockLayout, placeOf, rowPlace, type BlockLayout } from './block-layout.ts'
import type { KernelMemory } from './kernel-memory.ts'
import { scanPlan, thresholdOf } from './scan-plan.ts'
import { nearness, type Question } from './similarity.ts'

/** Squared lengths within which neither keys nor their bounds leave float32. Beyond them rows are scored one by one. */
const ORDINARY = { least: 2 ** -60, most: 2 ** 60 } as const

/** Rows of one encoding in a kernel's memory. Slots of other rows are left empty; a block without rows is not there. */
export class BlockRows {
  readonly #memory: KernelMemory
  readonly #layout: BlockLayout
  /** Places of all dimensions in a block. */
  readonly #places: Int32Array
  /** Addresses by block; 0 for one that is not there. */
  readonly #blocks: number[] = []
  /** For each block a bit for each row that is there. */
  readonly #present: number[] = []
  #blockCount = 0
  /** Length of the longest row there ever was. */
  #longest = 0
  #allOrdinary = true

  constructor(memory: KernelMemory, encoding: DenseRow['encoding'], dimension: number) {
    this.#memory = memory
    this.#layout = blockLayout(encoding, dimension)
    this.#places = Int32Array.from({ length: dimension }, (_, at) => placeOf(encoding, at))
  }

  get byteLength(): number {
    return this.#blockCount * this.#layout.bytes + 8 * this.#blocks.length
  }

  /** @param row of this encoding */
  put(slot: number, row: DenseRow): void {
    const address = this.#blockFor(slot >> 5)
    const { scales, inverseLengths, norms, squares } = this.#layout
    const { float32, float64 } = this.#memory.views
    const scale = row.encoding === 'int8' ? row.scale : 1
    const at = slot % BLOCK_ROWS
    this.#present[slot >> 5]! |= 1 << at
    this.#write(slot, row.values)
    float32[(address + inverseLengths) / 4 + at] = row.squares === 0 ? 0 : 1 / Math.sqrt(row.squares)
    float32[(address + scales) / 4 + at] = scale
    float32[(address + norms) / 4 + at] = scale * scale * row.squares
    float64[(address + squares) / 8 + at] = row.squares
    this.#longest = Math.max(this.#longest, scale * Math.sqrt(row.squares))
    this.#allOrdinary &&= isOrdinary(row.squares) && isOrdinary(scale * scale * row.squares)
  }

  has(slot: number): boolean {
    return ((this.#present[slot >> 5] ?? 0) & (1 << (slot % BLOCK_ROWS))) !== 0
  }

  remove(slot: number): void {
    if (!this.has(slot)) return
    const block = slot >> 5
    this.#present[block]! &= ~(1 << (slot % BLOCK_ROWS))
    if (this.#present[block] === 0) this.#freeBlock(block)
  }

  /** The row in a slot that has one. */
  rowAt(slot: number): DenseRow {
    const { encoding, dimension } = this.#layout
    const { squares, scale, base } = this.#metaOf(slot)
    if (encoding === 'float32') {
      const values = new Float32Array(dimension)
      for (let at = 0; at < dimension; at++) values[at] = this.#memory.views.float32[base + this.#places[at]!]!
      return { encoding, values, squares }
    }
    const values = new Int8Array(dimension)
    for (let at = 0; at < dimension; at++) values[at] = this.#memory.views.int8[base + this.#places[at]!]!
    return { encoding, values, squares, scale }
  }

  /** Offers all rows that may be found and could be among the `topK` nearest, with how near they are. */
  search(question: Question, topK: number, matches: SlotFilter | undefined, best: Offered): void {
    const masks = this.#masks(matches)
    let count = 0
    for (const mask of masks) count += bitCount(mask)
    const ordinary = this.#allOrdinary && isOrdinary(question.squares)
    const slots = count <= topK || !ordinary ? slotsOf(masks) : this.#candidates(question, topK, masks)
    const places = new Int32Array(question.visited.length)
    for (let at = 0; at < places.length; at++) places[at] = this.#places[question.visited[at]!]!
    for (const slot of slots) best.offer(slot, this.#nearness(question, places, slot))
  }

  /** Slots of rows that could be among the best, by the kernel's keys. */
  #candidates(question: Question, topK: number, masks: Uint32Array): Int32Array {
    const plan = scanPlan(question, this.#layout, this.#longest, this.byteLength)
    const count = masks.length
    const memory = this.#memory
    // Scratch is divided in this order; the keys begin a cache line.
    const keysAt = Math.ceil((8 * count + 4 * plan.steps.length + 4 * topK) / 64) * 64
    const blocks = memory.scratch(keysAt + 4 * BLOCK_ROWS * count)
    const steps = blocks + 8 * count
    const stepsEnd = steps + 4 * plan.steps.length
    const keys = blocks + keysAt
    const { uint32 } = memory.views
    uint32.set(this.#blocks, blocks / 4)
    uint32.set(masks, blocks / 4 + count)
    uint32.set(plan.steps, steps / 4)
    const leastKey = memory.kernel[plan.scan](
      blocks,
      blocks + 4 * count,
      count,
      plan.gains,
      this.#layout.norms,
      steps,
      stepsEnd,
      plan.factor,
      plan.share,
      keys,
      stepsEnd,
      topK,
    )
    const found = memory.kernel.collect(keys, BLOCK_ROWS * count, thresholdOf(plan, leastKey))
    return new Int32Array(memory.kernel.memory.buffer, keys, found)
  }

  #nearness(question: Question, places: Int32Array, slot: number): number {
    const { views } = this.#memory
    const { squares, scale, base } = this.#metaOf(slot)
    const values = this.#layout.encoding === 'int8' ? views.int8 : views.float32
    return nearness(question, { values, base, places }, scale, squares)
  }

  #metaOf(slot: number): { readonly squares: number; readonly scale: number; readonly base: number } {
    const address = this.#blocks[slot >> 5]!
    const at = slot % BLOCK_ROWS
    const { float32, float64 } = this.#memory.views
    const { encoding, squares, scales } = this.#layout
    return {
      squares: float64[(address + squares) / 8 + at]!,
      scale: float32[(address + scales) / 4 + at]!,
      base: (encoding === 'int8' ? address : address / 4) + rowPlace(encoding, at),
    }
  }

  #write(slot: number, values: Int8Array | Float32Array): void {
    const { views } = this.#memory
    const numbers = this.#layout.encoding === 'int8' ? views.int8 : views.float32
    const { base } = this.#metaOf(slot)
    for (let at = 0; at < values.length; at++) numbers[base + this.#places[at]!] = values[at]!
  }

  /** For each block the rows that are there and may be found. */
  #masks(matches: SlotFilter | undefined): Uint32Array {
    const masks = Uint32Array.from(this.#present)
    if (matches === undefined) return masks
    for (let block = 0; block < masks.length; block++) {
      for (let rest = masks[block]!; rest !== 0; rest &= rest - 1) {
        const row = lowestBit(rest)
        if (!matches(block * BLOCK_ROWS + row)) masks[block]! &= ~(1 << row)
      }
    }
    return masks
  }

  #blockFor(block: number): number {
    while (this.#blocks.length <= block) {
      this.#blocks.push(0)
      this.#present.push(0)
    }
    const known = this.#blocks[block]!
    if (known > 0) return known
    this.#blockCount++
    const address = this.#memory.takeBlock(this.#layout.bytes)
    this.#blocks[block] = address
    return address
  }

  #freeBlock(block: number): void {
    this.#memory.freeBlock(this.#blocks[block]!, this.#layout.bytes)
    this.#blocks[block] = 0
    this.#blockCount--
  }
}

/** Zero is ordinary: it is exact everywhere. */
function isOrdinary(squares: number): boolean {
  return squares === 0 || (squares >= ORDINARY.least && squares <= ORDINARY.most)
}

function slotsOf(masks: Uint32Array): readonly number[] {
  const slots: number[] = []
  masks.forEach((mask, block) => {
    for (let rest = mask; rest !== 0; rest &= rest - 1) slots.push(block * BLOCK_ROWS + lowestBit(rest))
  })
  return slots
}

/** Place of the lowest bit that is set. */
function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word)
}

/** Bits set in a word. @see Warren, "Hacker's Delight", 2nd ed., section 5-1 */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
