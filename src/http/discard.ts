/** Cancels a body that will not be read, so that its source stops. */
export function discard(response: Response): void {
  // In Node's server, `body` is created on access, and throws if it was already sent.
  ;(async () => response.body?.cancel())().catch(() => undefined)
}
