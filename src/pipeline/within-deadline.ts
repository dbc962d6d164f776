/** Deadlines, also for work that ignores its signal. */
import { asRagGateError, RagGateError, type RagGateErrorCode } from '../errors.ts'

/** Error codes of failed work. */
export interface Faults {
  readonly late: RagGateErrorCode
  /** For any other error; absent if that is rethrown unchanged. */
  readonly failed?: RagGateErrorCode
  readonly what: string
}

/** For services other than index and model, whose kinds of failure are not distinguished. */
export const storeFaults = (what: string): Faults => ({ late: 'store_unavailable', failed: 'store_unavailable', what })

/**
 * The result of the work, whose signal is aborted at the deadline.
 *
 * @param timeoutMs milliseconds, 1 and up
 * @throws a `RagGateError` that the work threw; `late` if it took too long, `failed` for any other error
 */
export function withinDeadline<Result>(
  timeoutMs: number,
  faults: Faults,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  return inTime(timeoutMs, faults, () => work(controller.signal), controller)
}

/**
 * The result of work that has no signal. Work that returns no promise is complete.
 *
 * @param timeoutMs milliseconds, 1 and up
 * @param controller aborted at the deadline
 * @throws a `RagGateError` that the work threw; `late` if it took too long; for any other error `failed` or, without that
 *   code, the error itself
 */
export async function inTime<Result>(
  timeoutMs: number,
  { late, failed, what }: Faults,
  work: () => Promise<Result> | Result,
  controller?: AbortController,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const working = work()
    if (!isThenable(working)) return working
    if (await settlesAtOnce(working)) return await working
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new RagGateError(late, `${what} took too long`))
        // Named like the reason of `AbortSignal.timeout`, which distinguishes a slow upstream from a disconnected caller.
        controller?.abort(new DOMException(`${what} took too long`, 'TimeoutError'))
      }, timeoutMs)
    })
    return await Promise.race([working, expired])
  } catch (thrown) {
    throw failed ? asRagGateError(thrown, failed, `${what} failed`) : thrown
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}

function isThenable<Result>(working: Promise<Result> | Result): working is Promise<Result> {
  return typeof (working as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

/** Microtask turns that work without waiting takes, such as reading a copy or searching within the isolate. */
const TURNS = 4

/** Whether work settles without waiting. It then needs no timer, which would cost more than the work. */
async function settlesAtOnce(working: Promise<unknown>): Promise<boolean> {
  const state = { settled: false }
  const note = (): void => {
    state.settled = true
  }
  working.then(note, note)
  for (let turn = 0; turn < TURNS && !state.settled; turn++) await Promise.resolve()
  return state.settled
}
