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

/** A part of the protocol that this index does not have yet. Answering without it could be a wrong answer. */
export function notSupported(what: string): ProtocolError {
  return new ProtocolError(422, `${what} is not supported by the embedded index yet`)
}
