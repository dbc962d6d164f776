/** The decisions of a run: the question of each, and where it is stored and counted. Checked after each step. */
import { seededRandom } from '../../bench/seeded-random.ts'
import { createD1Statistics } from '../../packages/console/src/d1/statistics.ts'
import type { Deployment, Isolate, Recorded } from './deployment.ts'
import { COLLECTIONS, TENANTS } from './truth.ts'
import { type Running, runAs } from './virtual-time.ts'
import { SLOWEST_MS } from './wire.ts'

const DAY_MS = 86_400_000
/** How long a log waits for a hanging write before starting another, plus the slowest write. */
const WRITTEN_WITHIN_MS = 40_000 + SLOWEST_MS
/** Time from an answer until its decision is recorded: the maximum duration of a request. */
const RECORDED_WITHIN_MS = 60_000

/** The answer to a question. */
export interface Answered {
  readonly isolate: Isolate
  readonly running: Running
  readonly tenant: string
  readonly collection: string
  /** The `RAG-Gate` header; empty if there was no decision. */
  readonly field: string
  /** Whether its decision may have this status: one that broke off has the status of the failure. */
  readonly isRecordedAs: (status: number) => boolean
  readonly atMs: number
  readonly told: () => string
}

/** The decision id in a `RAG-Gate` header. */
export const idIn = (field: string): string | undefined => /id="([^"]+)"/.exec(field)?.[1]

/** Number of decisions by tenant, collection and verdict. */
type Counts = Map<string, number>

const add = (to: Counts, of: string, count: number): void => void to.set(of, (to.get(of) ?? 0) + count)

export class Ledger {
  readonly #deployment: Deployment
  readonly #violated: (rule: string, detail: string) => void
  readonly #recordedOf = new Map<Running, Recorded>()
  readonly #answerOf = new Map<Running, Answered>()
  readonly #recorded = new Map<string, Recorded>()
  /** Decisions of an isolate that are not stored, in the order of recording. */
  readonly #unstored = new Map<Isolate, Map<string, Recorded>>()
  readonly #stored = new Set<string>()
  readonly #counts: Counts = new Map()
  /** Answers whose decision is pending, oldest first. */
  readonly #waiting: Answered[] = []
  /** How many journal entries were checked, and up to which write of each isolate. */
  #looked = 0
  readonly #lookedMs = new Map<Isolate, number>()

  constructor(deployment: Deployment, violated: (rule: string, detail: string) => void) {
    this.#deployment = deployment
    this.#violated = violated
  }

  /** Enters an answered question. */
  answered(answer: Answered): void {
    this.#answerOf.set(answer.running, answer)
    const recorded = this.#recordedOf.get(answer.running)
    if (recorded !== undefined) this.#compare(answer, recorded)
    else if (answer.field !== '') this.#waiting.push(answer)
  }

  /** Checks what happened since the last call. */
  check(): void {
    const { journal } = this.#deployment
    for (; this.#looked < journal.recorded.length; this.#looked++) this.#lookAt(journal.recorded[this.#looked]!)
    this.#lookAtDatabase()
    this.#lookAtWrites()
    this.#requireRecorded(RECORDED_WITHIN_MS)
  }

  #lookAt(recorded: Recorded): void {
    const { event, running, isolate } = recorded
    if (running === undefined) return this.#violated('no decision that was not made', event.id)
    const before = this.#recordedOf.get(running) ?? this.#recorded.get(event.id)
    if (before !== undefined) return this.#violated('one decision a question', `${before.event.id}, and ${event.id}`)
    this.#recordedOf.set(running, recorded)
    this.#recorded.set(event.id, recorded)
    const unstored = this.#unstored.get(isolate) ?? new Map<string, Recorded>()
    this.#unstored.set(isolate, unstored.set(event.id, recorded))
    const answer = this.#answerOf.get(running)
    if (answer !== undefined) this.#compare(answer, recorded)
  }

  /** Recorded decisions match the answers. */
  #compare({ tenant, collection, field, isRecordedAs, told }: Answered, { event }: Recorded): void {
    const { decision, id, status } = event
    const { verdict, band, reason, policyId } = decision
    const isAsAnswered =
      field.startsWith(`${verdict};band=${band};reason=${reason};policy="${policyId}";id="${id}"`) &&
      decision.tenant === tenant &&
      decision.collection === collection &&
      isRecordedAs(status)
    // A client that left before the search gets no decision, as a failed search gets none.
    if (!isAsAnswered)
      this.#violated('one decision a question', `${told()}: ${field || 'none'}, recorded ${JSON.stringify(event)}`)
  }

  /** Checks answers older than some time. */
  #requireRecorded(withinMs: number): void {
    const beforeMs = this.#deployment.time.nowMs - withinMs
    while (this.#waiting[0] !== undefined && this.#waiting[0].atMs <= beforeMs) {
      const { isolate, running, field, told } = this.#waiting.shift()!
      // An isolate that died or a cancelled request may have ended before.
      if (isolate.alive && running.cancelled !== true && !this.#recordedOf.has(running))
        this.#violated('one decision a question', `${told()}: ${idIn(field)}, recorded none`)
    }
  }

  #lookAtDatabase(): void {
    let isCounted = false
    for (const { what, id, tenant, collection, verdict } of this.#deployment.database.news()) {
      if (what === 'counted') {
        isCounted = true
        continue
      }
      const recorded = this.#recorded.get(id)
      if (recorded === undefined) return this.#violated('no decision that was not made', id)
      const { decision } = recorded.event
      if (what !== 'stored') return this.#violated('no decision is lost', `${id} was ${what}`)
      if (this.#stored.has(id)) return this.#violated('every decision counts once', `${id} is stored twice`)
      if (decision.tenant !== tenant || decision.collection !== collection || decision.verdict !== verdict)
        return this.#violated('a decision is counted as it was made', id)
      this.#stored.add(id)
      this.#unstored.get(recorded.isolate)?.delete(id)
      add(this.#counts, `${tenant}/${collection}/${verdict}`, 1)
    }
    if (isCounted) this.#requireCounted()
  }

  /** Decisions that are counted or pending are the stored ones: by hour and by day. */
  #requireCounted(): void {
    const { rollups, uncounted } = this.#deployment.database.counted()
    for (const spanMs of [DAY_MS / 24, DAY_MS]) {
      const counts: Counts = new Map()
      const all = [...uncounted, ...rollups.filter((rollup) => rollup.spanMs === spanMs)]
      for (const { tenant, collection, verdict, decisions } of all)
        add(counts, `${tenant}/${collection}/${verdict}`, decisions)
      for (const of of new Set([...counts.keys(), ...this.#counts.keys()])) {
        const [count, stored] = [counts.get(of) ?? 0, this.#counts.get(of) ?? 0]
        if (count !== stored) this.#violated('every decision counts once', `${of}: ${count} of ${stored}`)
      }
    }
  }

  /** What was tried long before the last successful write began is stored: only writes in progress may be lost. */
  #lookAtWrites(): void {
    if (this.#deployment.setup.log !== 'buffered') return
    for (const [isolate, unstored] of this.#unstored) {
      const { wroteMs, triedMs, dropped } = isolate
      if (dropped > 0 || wroteMs === (this.#lookedMs.get(isolate) ?? -1)) continue
      this.#lookedMs.set(isolate, wroteMs)
      for (const { event, atMs } of unstored.values()) {
        const lastMs = triedMs.get(event.id) ?? atMs
        if (lastMs < wroteMs - WRITTEN_WITHIN_MS)
          return this.#violated('no decision is lost', `tried at ${lastMs}, written until ${wroteMs}`)
      }
    }
  }

  /** After the faults: all that isolates and queue hold is written, and missing decisions were reported. */
  async allIsCounted(await_: <Result>(promise: Promise<Result>) => Promise<Result>): Promise<void> {
    const deployment = this.#deployment
    for (const isolate of deployment.isolates)
      await await_(runAs({ isolate, random: seededRandom(2), faulty: 0 }, () => isolate.log.flush()))
    for (let rounds = 0; deployment.queued > 0 && rounds < 1000; rounds++)
      await await_(runAs({ random: seededRandom(rounds), faulty: 0 }, () => deployment.deliver(seededRandom(rounds))))
    this.check()
    this.#requireRecorded(0)
    const statistics = createD1Statistics({ db: deployment.db })
    const nowMs = deployment.time.wallMs()
    const period = { fromMs: nowMs - 30 * DAY_MS, toMs: nowMs + 30 * DAY_MS, interval: 'day' } as const
    for (const tenant of TENANTS) {
      const { byVerdict } = await await_(statistics.summary({ tenant, ...period }))
      for (const [verdict, count] of Object.entries(byVerdict)) {
        const stored = COLLECTIONS.map((collection) => this.#counts.get(`${tenant}/${collection}/${verdict}`) ?? 0)
        const sum = stored.reduce((all, each) => all + each, 0)
        if (sum !== count) this.#violated('every decision counts once', `${tenant} ${verdict}: ${count} of ${sum}`)
      }
    }
    // If a send to the queue never ends, its event is lost with the request: the isolate's numbers show a gap.
    const { dropped, missing } = await await_(statistics.recording(period.fromMs, period.toMs))
    const gaps = deployment.setup.log === 'queue' ? missing : 0
    const lost = [...this.#unstored].flatMap(([{ alive }, unstored]) => (alive ? [...unstored.values()] : []))
    if (lost.length > dropped + gaps)
      this.#violated('no decision is lost', `${lost.length}, but ${dropped} dropped and ${gaps} missing`)
    const arrived = [...this.#unstored.values()].flatMap((unstored) =>
      [...unstored.keys()].filter((id) => deployment.journal.queued.has(id)),
    )
    if (arrived.length > 0) this.#violated('no decision is lost', `${arrived[0]} was in the queue`)
    const untold = lost.filter(({ running }) => running?.hangs !== true && running?.cancelled !== true)
    if (untold.length > dropped) this.#violated('no decision is lost', `${untold.length}, but ${dropped} dropped`)
  }
}
