/**
 * Matching of `GLOB` patterns, in time that grows with the length of the text alone: the pattern runs as an automaton
 * whose states are the bits of a few words, all of them at once, so nothing is ever tried twice.
 *
 * @see https://www.sqlite.org/lang_expr.html#the_like_glob_regexp_match_and_extract_operators
 */

/** Characters that one place of a pattern takes. */
interface CharacterSet {
  readonly inverted: boolean
  /** First and last code point of each range. */
  readonly ranges: readonly (readonly [number, number])[]
}

/** A pattern without its stars, and after how many characters they stood. */
interface GlobPattern {
  readonly places: readonly CharacterSet[]
  readonly stars: ReadonlySet<number>
}

const ANY: CharacterSet = { inverted: true, ranges: [] }
const WORD = 32

/** @returns what tells whether a whole text matches; a pattern whose list does not end matches nothing */
export function compileGlob(pattern: string): (text: string) => boolean {
  const parsed = parsePattern(pattern)
  if (parsed === undefined) return () => false
  const { places, stars } = parsed
  const words = Math.ceil((places.length + 1) / WORD)
  const staying = bits(words, stars)
  const alphabet = new Alphabet(places, words)
  return function globMatches(text) {
    // Bit n: the first n places have matched what was read.
    const state = bits(words, [0])
    for (let at = 0; at < text.length;) {
      const character = text.codePointAt(at)!
      at += character > 0xff_ff ? 2 : 1
      if (!advance(state, alphabet.placesTaking(character), staying)) return false
    }
    return hasBit(state, places.length)
  }
}

/** Moves every state on by a character. @returns whether any state is left */
function advance(state: Uint32Array, taking: Uint32Array, staying: Uint32Array): boolean {
  let carry = 0
  let left = 0
  for (let word = 0; word < state.length; word++) {
    const before = state[word]!
    const after = (((before << 1) | carry) & taking[word]!) | (before & staying[word]!)
    carry = before >>> (WORD - 1)
    state[word] = after
    left |= after
  }
  return left !== 0
}

/**
 * Which places of a pattern take a character. Between two bounds of the pattern's ranges all characters are alike, so a
 * table with a line for each such stretch holds all answers.
 */
class Alphabet {
  /** First code points of the stretches, ascending from 0. */
  readonly #starts: readonly number[]
  readonly #taking: readonly Uint32Array[]
  /** The lines of ASCII characters, which most texts are made of. */
  readonly #ascii: readonly Uint32Array[]

  constructor(places: readonly CharacterSet[], words: number) {
    const bounds = places.flatMap(({ ranges }) => ranges.flatMap(([first, last]) => [first, last + 1]))
    this.#starts = [...new Set([0, ...bounds])].sort((a, b) => a - b)
    this.#taking = this.#starts.map((start) =>
      // A place that takes the character leads to the state after it.
      bits(
        words,
        places.flatMap((set, place) => (takes(set, start) ? [place + 1] : [])),
      ),
    )
    this.#ascii = Array.from({ length: 128 }, (_, character) => this.#search(character))
  }

  placesTaking(character: number): Uint32Array {
    return this.#ascii[character] ?? this.#search(character)
  }

  #search(character: number): Uint32Array {
    let low = 0
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#starts[middle]! <= character) low = middle
      else high = middle
    }
    return this.#taking[low]!
  }
}

function takes({ inverted, ranges }: CharacterSet, character: number): boolean {
  return ranges.some(([first, last]) => first <= character && character <= last) !== inverted
}

function parsePattern(pattern: string): GlobPattern | undefined {
  const characters = Array.from(pattern)
  const places: CharacterSet[] = []
  const stars = new Set<number>()
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    if (character === '*') stars.add(places.length)
    else if (character === '?') places.push(ANY)
    else if (character === '[') {
      const list = parseList(characters, at + 1)
      if (list === undefined) return undefined
      places.push(list.set)
      at = list.end
    } else places.push({ inverted: false, ranges: [single(character)] })
  }
  return { places, stars }
}

/** Reads a list from after its bracket. @returns it and where it ends; `undefined` when it does not */
function parseList(characters: readonly string[], from: number): { set: CharacterSet; end: number } | undefined {
  const inverted = characters[from] === '^'
  const begin = inverted ? from + 1 : from
  const ranges: (readonly [number, number])[] = []
  let at = begin
  if (characters[at] === ']') ranges.push(single(characters[at++]!))
  // A range needs a character before it: not the `]` at the beginning, nor the end of another range.
  let first: string | undefined
  for (; at < characters.length && characters[at] !== ']'; at++) {
    const last = characters[at + 1]
    if (characters[at] === '-' && first !== undefined && last !== undefined && last !== ']') {
      ranges.push([first.codePointAt(0)!, last.codePointAt(0)!])
      first = undefined
      at += 1
    } else {
      first = characters[at]!
      ranges.push(single(first))
    }
  }
  return at < characters.length ? { set: { inverted, ranges }, end: at } : undefined
}

function single(character: string): readonly [number, number] {
  const code = character.codePointAt(0)!
  return [code, code]
}

function bits(words: number, set: Iterable<number>): Uint32Array {
  const made = new Uint32Array(words)
  for (const bit of set) made[bit >> 5]! |= 1 << (bit & 31)
  return made
}

function hasBit(set: Uint32Array, bit: number): boolean {
  return ((set[bit >> 5]! >>> (bit & 31)) & 1) === 1
}
