/** The connection between an isolate and its services: calls on it fail in all ways that calls can. */
import { type Running, runningNow, type VirtualTime } from './virtual-time.ts'

/** Services of an isolate. */
export type Port = 'd1' | 'kv' | 'object' | 'queue' | 'index' | 'embedder' | 'retriever' | 'reranker' | 'model'

/** Faults of a call. */
export type Fault =
  /** It fails before it has an effect. */
  | 'throws'
  /** It never ends, and has no effect. */
  | 'hangs'
  /** It has its effect, but the caller gets no answer. */
  | 'hangs-after'
  /** It has its effect, and fails. */
  | 'unacknowledged'
  /** It has its effect twice. */
  | 'twice'
  /** It takes seconds, on its way there or back. */
  | 'slow'
  /** Its effect comes seconds after its caller was told that it failed. */
  | 'late'
  /** It gets a bad response of the port: partial, garbled, for another tenant, with NaN, 429, 500 … */
  | 'bad'

const FAULTS: readonly Fault[] = [
  'throws',
  'hangs',
  'hangs-after',
  'unacknowledged',
  'twice',
  'slow',
  'late',
  'bad',
  'bad',
]

/** Latest, after its reply, that an effect happens a second time. */
export const REPEATED_MS = 1000
/** Maximum duration of a call, milliseconds. */
export const SLOWEST_MS = 25_000

/** Makes a call. `bad` replaces `work` for a bad response; without it there are none. */
export type Wire = <Result>(port: Port, work: () => Result, bad?: (random: () => number) => Result) => Promise<Result>

/** Number of faults so far, by port and fault. */
export type FaultCounts = Map<string, number>

export function makeWire(time: VirtualTime, counts: FaultCounts, isStormy: () => boolean): Wire {
  const hang = (owner: Running | undefined): void => void (owner !== undefined && (owner.hangs = true))
  return <Result>(port: Port, work: () => Result, bad?: (random: () => number) => Result) =>
    new Promise<Result>((resolve, reject) => {
      const owner = runningNow()
      const random = owner?.random ?? time.random
      const isFaulty = isStormy() && random() < (owner?.faulty ?? 0)
      const fault = isFaulty ? FAULTS[Math.floor(random() * FAULTS.length)]! : undefined
      if (fault !== undefined) counts.set(`${port} ${fault}`, (counts.get(`${port} ${fault}`) ?? 0) + 1)
      const long = (): number => 500 + random() * (SLOWEST_MS - 500)
      // A model thinks.
      const [there, back] = [random() * 8, random() * (port === 'model' ? 400 : 8)]
      const fail = (): void => reject(new Error(`${port}: Network connection lost`))
      const reply = (effect: () => Result, backMs: number): void => {
        let settle: () => void
        try {
          const result = effect()
          settle = () => resolve(result)
        } catch (thrown) {
          settle = () => reject(thrown)
        }
        time.after(backMs, owner, settle)
      }
      // An effect happens even if the isolate dies before it.
      const arrive = (ms: number, then: () => void): void => void time.after(ms, undefined, then)
      switch (fault) {
        case 'throws':
          return void time.after(there, owner, fail)
        case 'hangs':
          return hang(owner)
        case 'hangs-after':
          hang(owner)
          return arrive(there, () => attempt(work))
        case 'unacknowledged':
          return arrive(there, () => {
            attempt(work)
            time.after(back, owner, fail)
          })
        case 'twice':
          return arrive(there, () => {
            reply(work, back)
            arrive(back + random() * REPEATED_MS, () => attempt(work))
          })
        case 'late':
          time.after(there, owner, fail)
          return arrive(long(), () => attempt(work))
        case 'slow':
          // What comes back late may be out of date by then.
          if (random() < 0.5) return arrive(there, () => reply(work, long()))
          return arrive(long(), () => reply(work, back))
        case 'bad':
          return arrive(there, () => reply(bad === undefined ? work : () => bad(random), back))
        case undefined:
          return arrive(there, () => reply(work, back))
      }
    })
}

function attempt(work: () => unknown): void {
  try {
    work()
  } catch {
    // The caller gets no answer.
  }
}
