/** What a command could not do, in words for who called it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** 2 when the command was called wrongly, 1 otherwise. */
  readonly exitCode: 1 | 2

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.exitCode = exitCode
  }
}

/** The command was called wrongly. */
export function misused(message: string): CommandError {
  return new CommandError(message, { exitCode: 2 })
}
