import { stripVTControlCharacters } from 'node:util'

/** Where a command writes. Results go to `out`; what only people want to see while it runs goes to `notes`. */
export interface Terminal {
  readonly out: (line: string) => void
  readonly notes: Notes
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Standard error, as far as it is used. */
export interface Notes {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** A bar that is drawn over itself; nothing at all where nobody watches. */
export interface Progress {
  /** @param done of `total`, in any unit */
  show(done: number, total: number, label: string): void
  /** Leaves the line to others. */
  end(): void
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Text that a terminal only shows: an answer or a title cannot move its cursor, colour it, or name its window. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL, '')
}

const BAR_WIDTH = 24

/** Makes a progress bar. */
export function progressOn(notes: Notes): Progress {
  if (notes.isTTY !== true) return { show: () => undefined, end: () => undefined }
  return {
    show(done, total, label) {
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const filled = Math.round(share * BAR_WIDTH)
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
      const line = `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${printable(label)}`
      notes.write(`\r\u001b[K${line.slice(0, (notes.columns ?? 80) - 1)}`)
    },
    end: () => void notes.write('\r\u001b[K'),
  }
}
