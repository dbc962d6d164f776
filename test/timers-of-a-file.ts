/** Timers of one test file among those of a process: what waits for them, such as a write, would meet the data of the next. */

type Timer = ReturnType<typeof setTimeout>

/** Of the process, because a test may load modules anew. */
const shared = globalThis as { begunTimers?: Set<Timer> }
const begun = (shared.begunTimers ??= watchTimers())

function watchTimers(): Set<Timer> {
  const timers = new Set<Timer>()
  const begin = globalThis.setTimeout
  globalThis.setTimeout = ((...given: Parameters<typeof begin>) => {
    const timer = begin(...given)
    timers.add(timer)
    return timer
  }) as typeof begin
  return timers
}

/** Ends the timers begun until now: what waits for one waits for ever. */
export function endTimers(): void {
  for (const timer of begun) clearTimeout(timer)
  begun.clear()
}
