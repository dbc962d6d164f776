/** Runs the command line in this process, at a terminal or in a pipe. */
import { runCommand } from '../../packages/cli/src/main.ts'
import { terminalOn } from '../../packages/cli/src/terminal.ts'

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
}

export async function run(args: readonly string[], { tty = false, types, env = {} }: RunSettings = {}): Promise<Ran> {
  const written = { out: '', notes: '' }
  const terminal = terminalOn({
    stdout: { isTTY: tty, write: (text) => (written.out += text) },
    stderr: { isTTY: tty, columns: 100, write: (text) => (written.notes += text) },
    stdin: Object.assign(lines(types), { isTTY: tty }),
    // Nothing listens on the port that is never given out.
    env: { RAG_GATE_URL: 'http://127.0.0.1:1', ...env },
  })
  return { code: await runCommand(args, terminal), ...written }
}

async function* lines(text: string | undefined): AsyncGenerator<string> {
  if (text !== undefined) yield text
}
