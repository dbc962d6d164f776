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

const BAR_WIDTH = 24

/** Makes a progress bar. */
export function progressOn(notes: Notes): Progress {
  if (notes.isTTY !== true) return { show: () => undefined, end: () => undefined }
  return {
    show(done, total, label) {
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const filled = Math.round(share * BAR_WIDTH)
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`
      const line = `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${label}`
      notes.write(`\r\u001b[K${line.slice(0, (notes.columns ?? 80) - 1)}`)
    },
    end: () => void notes.write('\r\u001b[K'),
  }
}
