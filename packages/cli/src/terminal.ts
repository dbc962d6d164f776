/** Output of commands: results, notes and progress. The only place where texts are sanitised for display. */
import { stripVTControlCharacters } from 'node:util'

/** A colour, only used on a terminal. */
export type Colour = 'green' | 'yellow' | 'red' | 'dim' | 'bold'

/** A piece of a line. */
export type Piece = string | { readonly text: string; readonly colour: Colour }

/** Output and input of a command. Results go to `out`; information for people at the terminal goes to `note`. */
export interface Terminal {
  /** Writes a line of results, without control characters that move the cursor or change the reading direction. */
  readonly out: (...pieces: readonly Piece[]) => void
  /** Writes a note line. */
  readonly note: (...pieces: readonly Piece[]) => void
  readonly progress: Progress
  /** Asks a yes/no question; absent without an interactive terminal. */
  readonly confirm?: (question: string) => Promise<boolean>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Width of results in characters; absent without a terminal. */
  readonly columns?: number
}

/** The part of an output stream that is used. */
export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Progress of a long command. */
export interface Progress {
  /** @param done part of `total`, in any unit */
  show(done: number, total: number, label: string): void
  /** Ends the progress line. */
  end(): void
}

/** An input stream; a terminal yields one line at a time. */
export interface Input extends AsyncIterable<string | Uint8Array> {
  readonly isTTY?: boolean
}

/** Standard streams and environment of a process. */
export interface Streams {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin?: Input
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Makes a terminal from the streams of a process. */
export function terminalOn({ stdout, stderr, stdin, env }: Streams): Terminal {
  const writer = (stream: Output): Terminal['out'] => {
    const coloured = wantsColours(stream, env)
    return (...pieces) => void stream.write(`${pieces.map((piece) => shown(piece, coloured)).join('')}\n`)
  }
  const note = writer(stderr)
  const asks = stdin?.isTTY === true && stderr.isTTY === true
  return {
    out: writer(stdout),
    note,
    progress: progressOn(stderr),
    env,
    ...(stdout.isTTY === true && stdout.columns !== undefined && { columns: stdout.columns }),
    ...(asks ? { confirm: (question: string) => confirmOn(stdin, stderr, question) } : {}),
  }
}

/**
 * Whether to use colours: on a capable terminal unless `NO_COLOR` is set; `FORCE_COLOR` enables them for pipes.
 *
 * @see https://no-color.org
 */
export function wantsColours({ isTTY }: Output, env: Readonly<Record<string, string | undefined>>): boolean {
  const { NO_COLOR: none = '', FORCE_COLOR: forced = '', TERM: term } = env
  if (none !== '') return false
  if (forced !== '') return forced !== '0'
  return isTTY === true && term !== 'dumb'
}

const CODES: Readonly<Record<Colour, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 }

function shown(piece: Piece, coloured: boolean): string {
  if (typeof piece === 'string') return printable(piece)
  const text = printable(piece.text)
  return coloured ? `\u001b[${CODES[piece.colour]}m${text}\u001b[0m` : text
}

// U+200C and U+200D are not included, because several scripts and emoji need them.
const CONTROL =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/**
 * Makes text safe to display: it cannot move the cursor, set colours or the window title, change the reading direction,
 * or hide words in invisible characters.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL, '')
}

/** A name or title on one line, so that it cannot imitate the command's own output. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** JSON with control characters as `\u…` escapes, which parsers read without loss. */
export function jsonText(value: unknown): string {
  const escaped = (character: string): string =>
    // One escape per UTF-16 code unit.
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join('')
  // The only control characters from JSON.stringify are the line breaks between members.
  return (JSON.stringify(value, undefined, 2) ?? 'null').replace(CONTROL, escaped)
}

const BAR_WIDTH = 24
const LINE_EVERY_MS = 10_000

/** Makes a progress bar; without a terminal, such as in a CI log, it prints a line now and then. */
export function progressOn(notes: Output, nowMs: () => number = () => performance.now()): Progress {
  let startedMs: number | undefined
  let writtenMs = nowMs()
  return {
    show(done, total, label) {
      const now = nowMs()
      startedMs ??= now
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const percent = `${String(total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total))).padStart(3)} %`
      if (notes.isTTY !== true) {
        if (now - writtenMs < LINE_EVERY_MS) return
        writtenMs = now
        notes.write(`${percent.trim()}  ${printable(label)}\n`)
        return
      }
      const filled = Math.round(share * BAR_WIDTH)
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
      const line = `${bar} ${percent}  ${printable(label)}${remaining(now - startedMs, share)}`
      notes.write(`\r\u001b[K${line.slice(0, (notes.columns ?? 80) - 1)}`)
    },
    end() {
      if (notes.isTTY === true) notes.write('\r\u001b[K')
    },
  }
}

/** Estimated remaining time; empty during the first seconds, when it would be unreliable. */
function remaining(elapsedMs: number, share: number): string {
  if (elapsedMs < 3000 || share <= 0 || share >= 1) return ''
  const seconds = Math.ceil((elapsedMs / share - elapsedMs) / 1000)
  return seconds < 60 ? `, about ${seconds} s left` : `, about ${Math.ceil(seconds / 60)} min left`
}

async function confirmOn(stdin: Input, stderr: Output, question: string): Promise<boolean> {
  stderr.write(`${printable(question)} [y/N] `)
  for await (const line of stdin) {
    const answer = typeof line === 'string' ? line : new TextDecoder().decode(line)
    return /^\s*y(es)?\s*$/i.test(answer)
  }
  // End of input counts as no.
  stderr.write('\n')
  return false
}
