/** Errors of commands. */
import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'

/** An error of a command, with a message for its user. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
  /** 2 for wrong usage, 1 otherwise. */
  readonly exitCode: 1 | 2

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.exitCode = exitCode
  }
}

/** An error response of a gate. */
export class GateFailure extends CommandError {
  override readonly name = 'GateFailure'
  readonly status: number
  /** The gate's stable code, such as `document_too_large`. */
  readonly code: string
  /** The message alone, without code and field. */
  readonly said: string
  /** The request field at fault, such as `documents[3].text`. */
  readonly param?: string

  constructor(status: number, { code, message, param }: { code: string; message: string; param?: string }) {
    super(`${code}: ${message}${param === undefined ? '' : ` (${param})`}`)
    this.status = status
    this.code = code
    this.said = message
    if (param !== undefined) this.param = param
  }
}

/** Makes the error for wrong usage. */
export function misused(message: string): CommandError {
  return new CommandError(message, { exitCode: 2 })
}

/**
 * Checks that a file can be written, before the work whose result it is for.
 *
 * @throws `CommandError` if it may not be written, or its folder is missing
 */
export async function requireWritable(path: string): Promise<void> {
  // A file may be writable in a folder that is not, such as /dev/stdout.
  const place = existsSync(path) ? path : dirname(path)
  await access(place, constants.W_OK).catch(notWritten(path))
}

/** Makes a handler for failed writes: `writeFile(path, text).catch(notWritten(path))`. */
export function notWritten(path: string): (thrown: unknown) => never {
  return (thrown) => {
    throw new CommandError(`${path} cannot be written: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}
