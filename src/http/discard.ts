/** Cancels a body that is not read any more, so that its source stops. */
export function discard({ body }: Response): void {
  if (body?.locked === false) body.cancel().catch(() => undefined)
}
