/** Cancels a body that is not read any more, so that its source stops. */
export function discard(response: Response): void {
  // Node's server makes the body as it is asked for, and throws where it was sent.
  ;(async () => response.body?.cancel())().catch(() => undefined)
}
