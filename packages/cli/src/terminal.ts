/** Where commands write: results, notes for people, progress; and the one place where texts are made safe to show. */
import { stripVTControlCharacters } from 'node:util'

/** A colour, for a person at a terminal only. */
export type Colour = 'green' | 'yellow' | 'red' | 'dim' | 'bold'

/** A piece of a line. */
export type Piece = string | { readonly text: string; readonly colour: Colour }

/** Where a command writes. Results go to `out`; what only people want to see while it runs goes to `note`. */
export interface Terminal {
  /** Writes a result and ends the line. What could move the cursor or turn the reading direction is taken out. */
  readonly out: (...pieces: readonly Piece[]) => void
  /** Writes a note and ends the line. */
  readonly note: (...pieces: readonly Piece[]) => void
  readonly progress: Progress
  /** Asks a question that is answered with yes or no; absent without an interactive terminal. */
  readonly confirm?: (question: string) => Promise<boolean>
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A stream that is written to, as far as it is used. */
export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** How far a long command is. */
export interface Progress {
  /** @param done of `total`, in any unit */
  show(done: number, total: number, label: string): void
  /** Leaves the line to others. */
  end(): void
}

/** A stream that an answer comes from: a terminal gives a line at a time. */
export interface Input extends AsyncIterable<string | Uint8Array> {
  readonly isTTY?: boolean
}

/** Streams of a process. */
export interface Streams {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdin?: Input
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Makes a terminal of the streams of a process. */
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
    ...(asks ? { confirm: (question: string) => confirmOn(stdin, stderr, question) } : {}),
  }
}

/**
 * Whether a stream gets colours: a terminal that knows them, unless `NO_COLOR` is set; `FORCE_COLOR` gives them to a pipe.
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

// Not in the class: U+200C and U+200D, which several scripts and emoji are written with.
const CONTROL =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/**
 * Text that a terminal only shows: an answer or a title cannot move its cursor, colour it, name its window, turn the
 * reading direction around, or hide words in invisible characters.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL, '')
}

/** A name or title on one line: none of it can look like a line of ours. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** JSON, with what a terminal would act on written as `\u…`: a parser loses nothing. */
export function jsonText(value: unknown): string {
  const escaped = (character: string): string =>
    // One escape for each UTF-16 unit.
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join('')
  // Line ends between members are the only control characters that JSON.stringify leaves.
  return (JSON.stringify(value, undefined, 2) ?? 'null').replace(CONTROL, escaped)
}

const BAR_WIDTH = 24
const LINE_EVERY_MS = 10_000

/** Makes a progress bar; without a terminal, such as in the log of a build, a line now and then. */
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

/** Nothing in the first seconds: a guess from so little would only jump about. */
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
  // The end of the input is no consent.
  stderr.write('\n')
  return false
}
