/** Cutting the text of a filter into tokens. */
import { invalid, type ProtocolError } from '../protocol-error.ts'

/** A piece of a filter that has a meaning of its own. */
export interface Token {
  readonly kind: 'word' | 'keyword' | 'number' | 'string' | 'symbol' | 'end'
  /** As written; a keyword in capitals, a string without its quotes, `<EOF>` at the end. */
  readonly text: string
  /** Where it begins in the filter. */
  readonly at: number
  /** Where it has ended. */
  readonly end: number
}

/** NUL and unpaired surrogates are in no string: SQLite would read another one. */
const TOKEN =
  /(?<word>[a-zA-Z_][a-zA-Z_0-9.[\]#-]*)|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<string>'[^'\0\p{Cs}]*'|"[^"\0\p{Cs}]*")|(?<symbol>[!<>]=|[=<>(),])/uy

const KEYWORD = /^(?:AND|OR|NOT|GLOB|IN|CONTAINS|HAS|FIELD|TRUE|FALSE)$/i

/** Characters of a filter that a message repeats at most. */
const QUOTED = 40

/** Reads the tokens of a filter one after the other. */
export class TokenReader {
  readonly #text: string
  // Where they match next is a state of theirs, so each reader has its own.
  readonly #space = /[ \t\r\n]*/y
  readonly #token = new RegExp(TOKEN)
  #next: Token

  constructor(text: string) {
    this.#text = text
    this.#next = this.#read(0)
  }

  /** The token to come. */
  get next(): Token {
    return this.#next
  }

  /** Passes over the token to come. */
  take(): Token {
    const taken = this.#next
    if (taken.kind !== 'end') this.#next = this.#read(taken.end)
    return taken
  }

  /** Passes over the token to come if it is this keyword or symbol. */
  takeIf(text: string): boolean {
    const { kind, text: coming } = this.#next
    if ((kind !== 'keyword' && kind !== 'symbol') || coming !== text) return false
    this.take()
    return true
  }

  /** Passes over the token to come, which must be this keyword or symbol. */
  expect(text: string): void {
    if (!this.takeIf(text)) throw this.mismatch(text.length === 1 ? `'${text}'` : text)
  }

  /** The error of a token that is not what should have come. */
  mismatch(expected: string): ProtocolError {
    const { kind, text, at, end } = this.#next
    const source = kind === 'end' ? text : this.#text.slice(at, end)
    return this.problem(`mismatched input '${source.slice(0, QUOTED)}' expecting ${expected}`)
  }

  /** An error at the token to come, or elsewhere, in the service's words. */
  problem(problem: string, at = this.#next.at): ProtocolError {
    const before = this.#text.slice(0, at).split('\n')
    return invalid(`Invalid filter. At line ${before.length}:${before.at(-1)!.length} ${problem}`)
  }

  #read(from: number): Token {
    this.#space.lastIndex = from
    this.#space.test(this.#text)
    const at = this.#space.lastIndex
    if (at === this.#text.length) return { kind: 'end', text: '<EOF>', at, end: at }
    this.#token.lastIndex = at
    const { word, number, string, symbol } = this.#token.exec(this.#text)?.groups ?? {}
    const end = this.#token.lastIndex
    if (word !== undefined && KEYWORD.test(word)) return { kind: 'keyword', text: word.toUpperCase(), at, end }
    if (word !== undefined) return { kind: 'word', text: word, at, end }
    if (number !== undefined) return { kind: 'number', text: number, at, end }
    if (string !== undefined) return { kind: 'string', text: string.slice(1, -1), at, end }
    if (symbol !== undefined) return { kind: 'symbol', text: symbol, at, end }
    // A string that does not end, or the one character that begins no token.
    const [character = ''] = this.#text.slice(at, at + 2)
    const unrecognised = /['"]/.test(character) ? this.#text.slice(at, at + QUOTED) : character
    throw this.problem(`token recognition error at: '${unrecognised}'`, at)
  }
}
