/** Tokenizer for filters. */
import { invalid, type ProtocolError } from '../protocol-error.ts'

/** A token of a filter. */
export interface Token {
  readonly kind: 'word' | 'keyword' | 'number' | 'string' | 'symbol' | 'end'
  /** As written; a keyword in capitals, a string without its quotes, `<EOF>` at the end. */
  readonly text: string
  /** Start position in the filter. */
  readonly at: number
  /** End position, exclusive. */
  readonly end: number
}

/** Strings may not contain NUL or unpaired surrogates, which SQLite would read differently. */
const TOKEN =
  /(?<word>[a-zA-Z_][a-zA-Z_0-9.[\]#-]*)|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<string>'[^'\0\p{Cs}]*'|"[^"\0\p{Cs}]*")|(?<symbol>[!<>]=|[=<>(),])/uy

const KEYWORD = /^(?:AND|OR|NOT|GLOB|IN|CONTAINS|HAS|FIELD|TRUE|FALSE)$/i

/** Maximum number of characters of a filter to quote in a message. */
const QUOTED = 40

/** Reads the tokens of a filter in order. */
export class TokenReader {
  readonly #text: string
  // Sticky expressions hold state, so each reader has its own.
  readonly #space = /[ \t\r\n]*/y
  readonly #token = new RegExp(TOKEN)
  #next: Token

  constructor(text: string) {
    this.#text = text
    this.#next = this.#read(0)
  }

  /** The next token. */
  get next(): Token {
    return this.#next
  }

  /** Consumes the next token. */
  take(): Token {
    const taken = this.#next
    if (taken.kind !== 'end') this.#next = this.#read(taken.end)
    return taken
  }

  /** Consumes the next token if it is this keyword or symbol. */
  takeIf(text: string): boolean {
    const { kind, text: coming } = this.#next
    if ((kind !== 'keyword' && kind !== 'symbol') || coming !== text) return false
    this.take()
    return true
  }

  /** Consumes the next token, which must be this keyword or symbol. */
  expect(text: string): void {
    if (!this.takeIf(text)) throw this.mismatch(text.length === 1 ? `'${text}'` : text)
  }

  /** The error for an unexpected token. */
  mismatch(expected: string): ProtocolError {
    const { kind, text, at, end } = this.#next
    const source = kind === 'end' ? text : this.#text.slice(at, end)
    return this.problem(`mismatched input '${source.slice(0, QUOTED)}' expecting ${expected}`)
  }

  /** An error at the next token, or at `at`, in the service's wording. */
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
    // An unclosed string, or a character that starts no token.
    const [character = ''] = this.#text.slice(at, at + 2)
    const unrecognised = /['"]/.test(character) ? this.#text.slice(at, at + QUOTED) : character
    throw this.problem(`token recognition error at: '${unrecognised}'`, at)
  }
}
