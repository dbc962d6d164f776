/** Waiting no longer than a deadline, also for work that ignores its signal. */
import { asRagGateError, RagGateError, type RagGateErrorCode } from '../errors.ts'

/** What a wait that ended badly is called. */
export interface Faults {
  readonly late: RagGateErrorCode
  /** Of anything else thrown; absent where that is passed on as it is. */
  readonly failed?: RagGateErrorCode
  readonly what: string
}

/** Of what is asked beside the index and the model: all that matters of its fault is that it did not answer. */
export const storeFaults = (what: string): Faults => ({ late: 'store_unavailable', failed: 'store_unavailable', what })

/**
 * The result of the work, which is told to stop when the time is up.
 *
 * @param timeoutMs milliseconds, 1 and up
 * @throws the error of this package that the work threw; `late` when it took too long, `failed` for anything else thrown
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
 * The result of work that cannot be told to stop. Work that gives no promise has ended.
 *
 * @param timeoutMs milliseconds, 1 and up
 * @param controller aborted when the time is up
 * @throws the error of this package that the work threw; `late` when it took too long; for anything else thrown `failed`, or
 *   that itself where there is none
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
        // Named like the reason of `AbortSignal.timeout`: it tells an upstream that was slow from a caller that left.
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

/** Turns of the microtask queue that work takes which waits for nothing: a copy, or a search, in the isolate. */
const TURNS = 4

/** Whether work is done before anything could have been waited for: then it needs no timer, which costs more than it. */
async function settlesAtOnce(working: Promise<unknown>): Promise<boolean> {
  const state = { settled: false }
  const note = (): void => {
    state.settled = true
  }
  working.then(note, note)
  for (let turn = 0; turn < TURNS && !state.settled; turn++) await Promise.resolve()
  return state.settled
}
