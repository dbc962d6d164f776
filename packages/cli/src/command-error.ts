/** What a command could not do, in words for who called it. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
  /** 2 when the command was called wrongly, 1 otherwise. */
  readonly exitCode: 1 | 2

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.exitCode = exitCode
  }
}

/** An error that a gate answered with. */
export class GateFailure extends CommandError {
  override readonly name = 'GateFailure'
  readonly status: number
  /** The gate's stable code, such as `document_too_large`. */
  readonly code: string
  /** Its words, without code and member. */
  readonly said: string
  /** Which member of the request it is about, such as `documents[3].text`. */
  readonly param?: string

  constructor(status: number, { code, message, param }: { code: string; message: string; param?: string }) {
    super(`${code}: ${message}${param === undefined ? '' : ` (${param})`}`)
    this.status = status
    this.code = code
    this.said = message
    if (param !== undefined) this.param = param
  }
}

/** The command was called wrongly. */
export function misused(message: string): CommandError {
  return new CommandError(message, { exitCode: 2 })
}

/** What a file that cannot be written ends in: `writeFile(path, text).catch(notWritten(path))`. */
export function notWritten(path: string): (thrown: unknown) => never {
  return (thrown) => {
    throw new CommandError(`${path} cannot be written: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}
