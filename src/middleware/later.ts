import { errorForLog } from '../errors.ts'

/** What lives on for work: a request, where the platform has it. */
export interface Lasting {
  readonly executionCtx: { waitUntil(work: Promise<unknown>): void }
}

/**
 * Work that the response does not wait for, and that cannot harm it, also when it throws at once. Where the platform has
 * no `waitUntil`, it runs on its own.
 */
export function later(c: Lasting, work: () => Promise<void> | undefined): void {
  const report = (thrown: unknown): void => console.error(`[rag-gate] after the response: ${errorForLog(thrown)}`)
  let settled: Promise<void> | undefined
  try {
    // Without types a log may return anything.
    const working = work()
    settled = working && Promise.resolve(working).catch(report)
  } catch (thrown) {
    report(thrown)
  }
  if (settled === undefined) return
  try {
    c.executionCtx.waitUntil(settled)
  } catch {
    // Hono throws where there is no execution context (Node, tests): the promise runs on its own, and never rejects.
  }
}
