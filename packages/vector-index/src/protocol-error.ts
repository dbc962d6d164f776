/** A command that cannot be carried out, with the status and the text that the client gets. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  /** HTTP status, also repeated in the body. */
  readonly status: 400 | 401 | 404 | 405 | 413 | 422 | 429 | 500 | 507

  constructor(status: ProtocolError['status'], message: string) {
    super(message)
    this.status = status
  }
}

/** What cannot be carried out as it was sent: status 422. */
export function invalid(message: string): ProtocolError {
  return new ProtocolError(422, message)
}
