/** Time, chance and digests of a simulation: all that a run depends on comes from its seed, and hours pass in milliseconds. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac, hash } from 'node:crypto'
import { seededRandom } from '../../bench/seeded-random.ts'
import { PlainHeaders, PlainRequest, PlainResponse } from './messages.ts'

/** What runs in it: an isolate, which may die at any await, and the step of the simulation that it runs for. */
export interface Running {
  /** Absent for what happens outside of every isolate: in a database, on a wire, at a client. */
  readonly isolate?: { alive: boolean }
  /** Whether the runtime cancelled the request that it runs for: nothing that it waits for comes any more. */
  cancelled?: boolean
  /** Draws the faults of this step and of no other, so that a run can be shortened without changing what is left of it. */
  readonly random: () => number
  /** Share of calls that are faulty, 0..1. */
  readonly faulty: number
}

interface Timer {
  readonly atMs: number
  /** Decides among those that are due at the same time. */
  readonly draw: number
  readonly order: number
  readonly run: () => void
  readonly running: Running | undefined
}

/** A moment in 2026 at which a simulation begins. */
const BEGIN_MS = Date.UTC(2026, 4, 4)

/** Taken before anything is replaced. */
const realImmediate = globalThis.setImmediate
/** Turns of the event loop in which streams and promises of Node settle. */
const TURNS = 1

const running = new AsyncLocalStorage<Running>()

/** Time that passes when nothing else is left to do. */
export class VirtualTime {
  readonly random: () => number
  /** True time since the beginning, milliseconds; no clock that is set changes it. */
  nowMs = 0
  #skewMs = 0
  #orders = 0
  /** The last first: most of what is set is due soon, and that is at the end. */
  readonly #timers: Timer[] = []
  /** When clocks were set back, and by how much. */
  readonly setBacks: { readonly atMs: number; readonly byMs: number }[] = []

  /**
   * Aborted at the end of a run: Node holds on to a signal made of others until one of them is, or no one listens, and nothing
   * of an isolate that died or of a cancelled request goes on to that.
   */
  readonly signals = new Set<AbortController>()

  readonly seed: number

  constructor(seed: number) {
    this.seed = seed
    this.random = seededRandom(seed)
  }

  /** What the clocks of the isolates show. */
  wallMs(): number {
    return BEGIN_MS + Math.floor(this.nowMs) + this.#skewMs
  }

  /** Sets the clocks. */
  setClocks(byMs: number): void {
    this.#skewMs += byMs
    if (byMs < 0) this.setBacks.push({ atMs: this.nowMs, byMs: -byMs })
  }

  /** By how much clocks were set back since some true time: what is measured by them may be as much older. */
  setBackSinceMs(atMs: number): number {
    return this.setBacks.reduce((sum, back) => (back.atMs >= atMs ? sum + back.byMs : sum), 0)
  }

  get waiting(): number {
    return this.#timers.length
  }

  /** Runs something later: in the isolate of `owner`, while it lives, or outside of all of them. */
  after(ms: number, owner: Running | undefined, run: () => void): Timer {
    const timer = {
      atMs: this.nowMs + Math.max(0, ms),
      draw: this.random(),
      order: this.#orders++,
      run,
      running: owner,
    }
    this.#timers.splice(this.#placeOf(timer), 0, timer)
    return timer
  }

  cancel(timer: Timer): void {
    const at = this.#placeOf(timer) - 1
    if (this.#timers[at] === timer) this.#timers.splice(at, 1)
  }

  /** How many are due no sooner. */
  #placeOf(timer: Timer): number {
    let [from, to] = [0, this.#timers.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (isBefore(this.#timers[middle]!, timer)) to = middle
      else from = middle + 1
    }
    return from
  }

  /** Lets time pass up to a moment, or until nothing is left that waits. */
  async passUntil(atMs: number): Promise<void> {
    await settle()
    for (;;) {
      const next = this.#timers.at(-1)
      if (next === undefined || next.atMs > atMs) break
      this.#timers.pop()
      this.nowMs = Math.max(this.nowMs, next.atMs)
      if (next.running?.isolate?.alive === false || next.running?.cancelled === true) continue
      if (next.running === undefined) running.exit(next.run)
      else running.run(next.running, next.run)
      await settle()
    }
    if (atMs !== Infinity) this.nowMs = Math.max(this.nowMs, atMs)
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMs !== b.atMs ? a.atMs < b.atMs : a.draw !== b.draw ? a.draw < b.draw : a.order < b.order
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => realImmediate(resolve))
}

/** Who runs now. */
export const runningNow = (): Running | undefined => running.getStore()

/** Has something run as part of a step, in an isolate or outside. */
export const runAs = <Result>(who: Running, work: () => Result): Result => running.run(who, work)

/** Replaces the clocks, timers, randomness, digests, requests and responses of the process. @returns puts them back */
export function install(time: VirtualTime): () => void {
  const set = (ms = 0, run: () => void = () => undefined) => {
    const timer = time.after(ms, runningNow(), run)
    return { timer, ref: () => undefined, unref: () => undefined }
  }
  const abortedAfter = (ms: number): AbortSignal => {
    const controller = new AbortController()
    time.signals.add(controller)
    set(ms, () => {
      time.signals.delete(controller)
      controller.abort(new DOMException('It took too long', 'TimeoutError'))
    })
    return controller.signal
  }
  // Ids are drawn a hundred at a time and kept in the module: by their length, so that what is left of them from another
  // run shifts nothing else.
  const draws = new Map<number, () => number>()
  const fill = (into: Uint8Array): Uint8Array => {
    const draw = draws.get(into.length) ?? seededRandom(into.length ^ time.seed)
    draws.set(into.length, draw)
    for (let at = 0; at < into.length; at++) into[at] = Math.floor(draw() * 256)
    return into
  }
  const hex = (bytes: number): string => Buffer.from(fill(new Uint8Array(bytes))).toString('hex')
  const buffer = (made: Buffer): ArrayBuffer => new Uint8Array(made).buffer
  return replaced([
    [globalThis, 'Headers', PlainHeaders],
    [globalThis, 'Request', PlainRequest],
    [globalThis, 'Response', PlainResponse],
    [globalThis, 'setTimeout', (run: () => void, ms?: number) => set(ms, run)],
    [AbortSignal, 'timeout', (ms: number) => abortedAfter(ms)],
    [globalThis, 'clearTimeout', (set?: { readonly timer: Timer }) => set && time.cancel(set.timer)],
    [Date, 'now', () => time.wallMs()],
    [performance, 'now', () => time.nowMs],
    [Math, 'random', () => time.random()],
    [crypto, 'getRandomValues', fill],
    [crypto, 'randomUUID', () => [4, 2, 2, 2, 6].map(hex).join('-')],
    // WebCrypto answers from another thread, whenever that has time.
    [crypto.subtle, 'digest', async (_: string, given: Uint8Array) => buffer(hash('sha256', given, 'buffer'))],
    [crypto.subtle, 'importKey', async (_: string, secret: Uint8Array) => secret],
    [
      crypto.subtle,
      'sign',
      async (_: string, secret: Uint8Array, given: Uint8Array) =>
        buffer(createHmac('sha256', secret).update(given).digest()),
    ],
  ])
}

function replaced(members: readonly (readonly [object, string, unknown])[]): () => void {
  const before = members.map(([of, name]) => [of, name, Object.getOwnPropertyDescriptor(of, name)] as const)
  for (const [of, name, value] of members) {
    Object.defineProperty(of, name, { value, writable: true, configurable: true, enumerable: true })
  }
  return () => {
    for (const [of, name, own] of before) {
      if (own === undefined) Reflect.deleteProperty(of, name)
      else Object.defineProperty(of, name, own)
    }
  }
}
