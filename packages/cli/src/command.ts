/** Commands of `rag-gate`: name, options, help and action. */
import { parseArgs } from 'node:util'
import { misused } from './command-error.ts'
import type { GateAddress } from './gate-client.ts'
import type { Terminal } from './terminal.ts'

/** An option of a command. */
export interface Option {
  readonly type: 'string' | 'boolean'
  /** Placeholder of its value in the help, such as `id`. */
  readonly value?: string
  /** One-line description. */
  readonly about: string
}

/** Options by name. */
export type Options = Readonly<Record<string, Option>>

/** Option values: `undefined` for a missing string, `false` for a missing switch. */
export type Given<Of extends Options> = {
  readonly [name in keyof Of]: Of[name]['type'] extends 'boolean' ? boolean : string | undefined
}

/** Arguments of a command. */
export interface Call<Of extends Options = Options> {
  readonly terminal: Terminal
  /** Positional arguments, in order. */
  readonly words: readonly string[]
  readonly given: Given<Of>
  readonly json: boolean
  /** The gate's address and key. @throws `CommandError` for an invalid address */
  readonly gate: () => GateAddress
}

/** A command; each has one file, and one line in the table of `main.ts`. */
export interface Command<Of extends Options = Options> {
  readonly name: string
  /** One-line description. */
  readonly about: string
  /** Usage lines, without `rag-gate`. */
  readonly usage: readonly string[]
  /** Further lines of the help. */
  readonly notes?: readonly string[]
  readonly options: Of
  /** @returns the exit code: 0 for success, 1 for failure */
  run(call: Call<Of>): Promise<number>
}

/** Types a command's arguments by its options. */
export function command<const Of extends Options>(definition: Command<Of>): Command {
  return definition
}

/** Options that every command has. */
const EVERYWHERE = {
  url: { type: 'string', value: 'address', about: 'where the gate is; RAG_GATE_URL, else http://127.0.0.1:8787' },
  key: { type: 'string', value: 'token', about: 'token or key; better in RAG_GATE_KEY, which no process list shows' },
  json: { type: 'boolean', about: 'results as JSON' },
  help: { type: 'boolean', about: 'this help' },
  version: { type: 'boolean', about: 'the version of rag-gate' },
} as const satisfies Options

const SHORT: Readonly<Record<string, string>> = { h: 'help', V: 'version' }

/**
 * Parses the arguments after the name of a command.
 *
 * @returns the parsed call, or that help or the version is requested
 * @throws `CommandError` for an unknown option, a missing or empty value, or a value for a switch
 */
export function readCall(
  { name, options: own }: Command,
  args: readonly string[],
  terminal: Terminal,
): Call | 'help' | 'version' {
  const options: Options = { ...EVERYWHERE, ...own }
  const config = Object.fromEntries(
    Object.entries(options).map(([option, { type }]) => {
      const short = Object.keys(SHORT).find((letter) => SHORT[letter] === option)
      return [option, short === undefined ? { type } : { type, short }]
    }),
  )
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: config,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  if (values['help'] === true) return 'help'
  if (values['version'] === true) return 'version'
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = options[token.name]
    if (option === undefined || !Object.hasOwn(options, token.name)) {
      throw misused(`${name} has no option ${token.rawName}${meant(token.name, Object.keys(options), '--')}`)
    }
    if (option.type === 'boolean' && token.value !== undefined) throw misused(`${token.rawName} takes no value`)
    // If another option follows, the value was forgotten.
    const missing = token.value === undefined || (!token.inlineValue && /^--./.test(token.value))
    if (option.type === 'string' && missing)
      throw misused(`${token.rawName} needs a value: <${option.value ?? 'text'}>`)
    if (token.value === '') throw misused(`${token.rawName} is empty: the variable that it comes from is not set`)
  }
  const { url, key, json } = values
  return {
    terminal,
    words: positionals,
    // The values of string options were checked above.
    given: Object.fromEntries(
      Object.entries(own).map(([option, { type }]) => [
        option,
        values[option] ?? (type === 'boolean' ? false : undefined),
      ]),
    ) as Given<Options>,
    json: json === true,
    gate: () =>
      addressOf(typeof url === 'string' ? url : undefined, typeof key === 'string' ? key : undefined, terminal),
  }
}

/** Help text of a command. @param width of the terminal, characters; lines are not broken without one */
export function helpOf({ about, usage, notes = [], options }: Command, width?: number): string {
  return [
    ...wrapped(about, width),
    '',
    ...usage.flatMap((way) => wrapped(`rag-gate ${way}`, width, '  ', '      ')),
    ...(notes.length === 0 ? [] : ['', ...(width === undefined ? notes : wrapped(notes.join(' '), width))]),
    ...(Object.keys(options).length === 0 ? [] : ['', 'Options', ...optionLines(options, width)]),
    '',
    'Everywhere',
    ...optionLines(EVERYWHERE, width),
  ].join('\n')
}

/** Help text of the program. @param width as for `helpOf` */
export function helpOfAll(commands: readonly Command[], width?: number): string {
  return [
    ...wrapped('rag-gate: documents into a confidence gate, questions to it, and keys for it', width),
    '',
    ...columns(
      commands.map(({ name, about }) => [name, about]),
      width,
    ),
    '',
    ...wrapped('rag-gate <command> --help tells more of each.', width),
    '',
    'Everywhere',
    ...optionLines(EVERYWHERE, width),
    '',
    ...wrapped('Exit codes: 0 done, 1 failed, in part too, 2 called wrongly', width),
  ].join('\n')
}

/** `; did you mean …?` if a known word is similar to the given one, else ''. */
export function meant(written: string, known: readonly string[], prefix = ''): string {
  const [closest] = known
    .map((word) => ({ word, distance: distanceOf(written, word) }))
    .filter(({ word, distance }) => distance <= Math.max(1, Math.floor(word.length / 3)))
    .sort((one, other) => one.distance - other.distance)
  return closest === undefined ? '' : `; did you mean ${prefix}${closest.word}?`
}

/** The single positional argument of a command. @throws `CommandError` for none or several */
export function only(words: readonly string[], what: string): string {
  const [first, ...others] = words
  if (first === undefined || first.trim() === '') throw misused(`This needs ${what}; --help shows how`)
  if (others.length > 0) throw misused(`This takes ${what} only, and there is more: ${others.join(' ')}`)
  return first
}

/** Parses a whole number. @throws `CommandError` unless it is in the range */
export function wholeNumber(
  option: string,
  given: string | undefined,
  otherwise: number,
  from = 1,
  to = Number.MAX_SAFE_INTEGER,
): number {
  const value = given === undefined ? otherwise : Number(given)
  if (Number.isInteger(value) && value >= from && value <= to) return value
  throw misused(`${option} must be a whole number from ${from} ${to < Number.MAX_SAFE_INTEGER ? `to ${to}` : 'up'}`)
}

function optionLines(options: Options, width: number | undefined): string[] {
  return columns(
    Object.entries(options).map(([name, { value, about, type }]) => {
      const short = Object.keys(SHORT).find((letter) => SHORT[letter] === name)
      const long = `--${name}${type === 'boolean' ? '' : ` <${value ?? 'text'}>`}`
      return [short === undefined ? long : `-${short}, ${long}`, about]
    }),
    width,
  )
}

/** Below this width, the right column begins on a line of its own. */
const NARROWEST_COLUMN = 32

function columns(rows: readonly (readonly [string, string])[], width: number | undefined): string[] {
  const leftWidth = Math.max(...rows.map(([left]) => left.length)) + 4
  const isNarrow = width !== undefined && width - leftWidth < NARROWEST_COLUMN
  return rows.flatMap(([left, right]) =>
    isNarrow
      ? [`  ${left}`, ...wrapped(right, width, '      ')]
      : wrapped(right, width, `  ${left}`.padEnd(leftWidth), ' '.repeat(leftWidth)),
  )
}

/** Breaks a text into lines of at most `width` characters, between words. @param indent of the first line */
function wrapped(text: string, width = Infinity, indent = '', further = indent): string[] {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(' ')) {
    const isFirst = line === (lines.length === 0 ? indent : further)
    if (!isFirst && line.length + 1 + word.length > width) {
      lines.push(line)
      line = further + word
    } else line += (isFirst ? '' : ' ') + word
  }
  return [...lines, line]
}

function addressOf(url: string | undefined, key: string | undefined, { env, note, progress }: Terminal): GateAddress {
  const { RAG_GATE_URL: commonUrl, RAG_GATE_KEY: commonKey } = env
  if (url === undefined && commonUrl === '') throw misused('RAG_GATE_URL is empty')
  const address = url ?? commonUrl ?? 'http://127.0.0.1:8787'
  requireAddress(address)
  const token = key ?? commonKey
  if (token === '') throw misused('RAG_GATE_KEY is empty')
  // A header value may not contain line breaks or characters beyond Latin-1.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw misused('The key has characters that keys cannot have')
  const onPause: GateAddress['onPause'] = ({ message }, seconds) => {
    progress.end()
    note(`${message}; trying again in ${seconds} s`)
  }
  return { url: address, onPause, ...(token === undefined ? {} : { key: token }) }
}

/** @throws `CommandError` for anything but an http or https address */
export function requireAddress(address: string): void {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return
  throw misused(`${address} is not a valid http or https address`)
}

/** Edit distance between two words: insertions, deletions, substitutions and transpositions. */
function distanceOf(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let at = 1; at <= other.length; at++) {
      const same = one[row - 1] === other[at - 1]
      let least = Math.min((last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + (same ? 0 : 1))
      const swapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]
      if (swapped) least = Math.min(least, (before[at - 2] ?? 0) + 1)
      next.push(least)
    }
    before = last
    last = next
  }
  return last[other.length] ?? 0
}
