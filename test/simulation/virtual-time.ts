/** Time, randomness and digests of a simulation: a run depends on its seed alone, and hours pass in milliseconds. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac, hash } from 'node:crypto'
import { seededRandom } from '../../bench/seeded-random.ts'
import { PlainHeaders, PlainRequest, PlainResponse } from './messages.ts'

/** Owner of running code: an isolate, which may die at any await, and the step of the simulation. */
export interface Running {
  /** Absent outside of every isolate: in a database, on a wire, at a client. */
  readonly isolate?: { alive: boolean }
  /** Whether the runtime cancelled its request: then nothing that it awaits arrives. */
  cancelled?: boolean
  /** Whether a call of its never ended. */
  hangs?: boolean
  /** Draws the faults of this step only, so that shortening a run leaves the remaining steps unchanged. */
  readonly random: () => number
  /** Share of calls that are faulty, 0..1. */
  readonly faulty: number
}

interface Timer {
  readonly atMs: number
  /** Chooses among timers that are due at the same time. */
  readonly draw: number
  readonly order: number
  readonly run: () => void
  readonly running: Running | undefined
}

/** A moment in 2026 at which a simulation begins. */
const BEGIN_MS = Date.UTC(2026, 4, 4)

/** Originals, saved before anything is replaced. */
const realImmediate = globalThis.setImmediate
/** Turns of the event loop in which Node's streams and promises settle. */
const TURNS = 1

const running = new AsyncLocalStorage<Running>()

/** Virtual time, which advances when nothing else is left to do. */
export class VirtualTime {
  readonly random: () => number
  /** True time since the beginning, milliseconds; setting a clock does not change it. */
  nowMs = 0
  #skewMs = 0
  #orders = 0
  /** In descending order: most timers are due soon, and so are at the end. */
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

  /** The time on the clocks of the isolates. */
  wallMs(): number {
    return BEGIN_MS + Math.floor(this.nowMs) + this.#skewMs
  }

  /** Sets the clocks. */
  setClocks(byMs: number): void {
    this.#skewMs += byMs
    if (byMs < 0) this.setBacks.push({ atMs: this.nowMs, byMs: -byMs })
  }

  /** How far clocks were set back since some true time: ages measured by them may be this much too low. */
  setBackSinceMs(atMs: number): number {
    return this.setBacks.reduce((sum, back) => (back.atMs >= atMs ? sum + back.byMs : sum), 0)
  }

  get waiting(): number {
    return this.#timers.length
  }

  /** Runs something later: in the isolate of `owner` while it lives, or outside of all isolates. */
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

  /** Number of timers due at this time or later. */
  #placeOf(timer: Timer): number {
    let [from, to] = [0, this.#timers.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (isBefore(this.#timers[middle]!, timer)) to = middle
      else from = middle + 1
    }
    return from
  }

  /** Advances time to a moment, or until nothing is pending. */
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

/** Owner of the running code. */
export const runningNow = (): Running | undefined => running.getStore()

/** Runs something as part of a step, in an isolate or outside. */
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
    // WebCrypto answers from another thread, at no fixed time.
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
