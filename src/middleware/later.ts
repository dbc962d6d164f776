import { errorForLog } from '../errors.ts'

/** The part of a context that keeps a Worker alive, if the platform has it. */
export interface Lasting {
  readonly executionCtx: { waitUntil(work: Promise<unknown>): void }
}

/**
 * Runs work that the response does not wait for, and whose failures, even synchronous ones, do not affect it. If the
 * platform has no `waitUntil`, the work just runs.
 */
export function later(c: Lasting, work: () => Promise<void> | undefined): void {
  const report = (thrown: unknown): void => console.error(`[rag-gate] after the response: ${errorForLog(thrown)}`)
  let settled: Promise<void> | undefined
  try {
    // An untyped log may return anything.
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
