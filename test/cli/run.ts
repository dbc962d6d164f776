/** Runs the command line in this process, at a terminal or in a pipe. */
import { runCommand } from '../../packages/cli/src/main.ts'
import { progressOn, terminalOn } from '../../packages/cli/src/terminal.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly notes: string
}

/** How it is run. */
export interface RunSettings {
  /** Whether a person sits there. @default false */
  readonly tty?: boolean
  /** What the person types when asked. */
  readonly types?: string
  readonly env?: Readonly<Record<string, string>>
  /** Width of the terminal. @default unknown */
  readonly columns?: number
}

export async function run(
  args: readonly string[],
  { tty = false, types, env = {}, columns }: RunSettings = {},
): Promise<Ran> {
  const written = { out: '', notes: '' }
  const stderr = { isTTY: tty, columns: 100, write: (text: string) => (written.notes += text) }
  const terminal = terminalOn({
    stdout: { isTTY: tty, ...(columns && { columns }), write: (text) => (written.out += text) },
    stderr,
    stdin: Object.assign(lines(types), { isTTY: tty }),
    // Nothing listens on the port that is never given out.
    env: { RAG_GATE_URL: 'http://127.0.0.1:1', ...env },
  })
  // In a pipe a line of progress is written now and then; here never, however slow the machine is.
  const progress = tty ? terminal.progress : progressOn(stderr, () => 0)
  return { code: await runCommand(args, { ...terminal, progress }), ...written }
}

async function* lines(text: string | undefined): AsyncGenerator<string> {
  if (text !== undefined) yield text
}
