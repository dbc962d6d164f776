/** Lets go of a body that is not read any more: whoever makes it may stop. */
export function discard({ body }: Response): void {
  if (body?.locked === false) body.cancel().catch(() => undefined)
}
