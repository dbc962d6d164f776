/** An error of a command, with the status and message for the client. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  /** HTTP status, also repeated in the body. */
  readonly status: 400 | 401 | 404 | 405 | 413 | 422 | 429 | 500 | 507

  constructor(status: ProtocolError['status'], message: string) {
    super(message)
    this.status = status
  }
}

/** The error for an invalid command: status 422. */
export function invalid(message: string): ProtocolError {
  return new ProtocolError(422, message)
}
