/** Isolates of one deployment, built of the package's own parts, over ports with faults. */
import { reranking } from '../../src/pipeline/reranking.ts'
import type { D1Database } from '@cloudflare/workers-types'
import { Hono } from 'hono'
import { createBufferedDecisionLog } from '../../src/adapters/buffered-decision-log.ts'
import { createDecisionConsumer } from '../../packages/cloudflare/src/decision-consumer.ts'
import { createKvAnswerCache } from '../../packages/cloudflare/src/kv-answer-cache.ts'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { createTieredAnswerCache } from '../../src/adapters/tiered-answer-cache.ts'
import { createQueueDecisionLog, type QueuedDecision } from '../../packages/cloudflare/src/queue-decision-log.ts'
import { createD1AnswerPurges, createD1DecisionStore } from '../../src/adapters/d1.ts'
import { Flight, type JoinTerms } from '../../src/adapters/coalescing/flight.ts'
import { answerCache } from '../../src/cache/answer-cache.ts'
import { confidenceRange } from '../../src/core/gates/confidence-range.ts'
import { defineGate, gateWith, type PolicyGate } from '../../src/core/gates/gate.ts'
import { loneTerm } from '../../src/core/gates/lone-term.ts'
import { questionLength } from '../../src/core/gates/question-length.ts'
import { readableQuestion } from '../../src/core/gates/readable-question.ts'
import { refusalText } from '../../src/core/gates/text.ts'
import { required, requireOptions, string } from '../../src/core/lib/options.ts'
import { logistic } from '../../src/core/policy/logistic.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { curves } from '../../src/core/signals/score-curves.ts'
import type { Language } from '../../src/core/text/language.ts'
import { english } from '../../src/language/english/english.ts'
import type { RagGateContext, RagGateEnv } from '../../src/middleware/gate-context.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { respondWithError } from '../../src/middleware/respond.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import type { AnswerPurges } from '../../src/ports/answer-purges.ts'
import type { Coalescer } from '../../src/ports/coalescer.ts'
import type { Collections } from '../../src/ports/collections.ts'
import type { DecisionEvent, DecisionLog, DecisionStore, NumberedEvent } from '../../src/ports/decision-log.ts'
import { createD1ApiKeys } from '../../packages/console/src/d1/api-keys.ts'
import { createD1Counting } from '../../packages/console/src/d1/counting.ts'
import type { ApiKeys } from '../../packages/console/src/keys/api-keys.ts'
import { createBearerAuthenticator } from '../../packages/console/src/keys/bearer-tokens.ts'
import { createD1Collections } from '../../packages/ingest/src/d1/collections.ts'
import type { CollectionWriter } from '../../packages/ingest/src/collection-writer.ts'
import type { IngestPorts } from '../../packages/ingest/src/ingest-documents.ts'
import type { Splitter } from '../../packages/ingest/src/splitter.ts'
import type { Generation } from '../../packages/models/src/generator.ts'
import { createLimitedGenerator } from '../../packages/models/src/limited-generator.ts'
import { createOpenAiGenerator } from '../../packages/models/src/openai-compatible.ts'
import { createHttpRetriever } from '../../packages/upstream/src/http-retriever.ts'
import { Database } from './database.ts'
import { once, Services } from './services.ts'
import { marksIn } from './truth.ts'
import { type Running, runAs, runningNow, type VirtualTime } from './virtual-time.ts'
import { type FaultCounts, makeWire, type Wire } from './wire.ts'

/** Lifetimes of copies of a collection or key, fresh and as fallback while the database is down, milliseconds. */
export const COPY_MS = 10_000
export const PURGE_COPY_MS = 5_000

/** Short lifetimes, so that answers expire within a run. */
const LIFETIMES = {
  high: { fromSeconds: 60, toSeconds: 120 },
  medium: { fromSeconds: 60, toSeconds: 60 },
  low: { fromSeconds: 60, toSeconds: 60 },
  adviseAtMostSeconds: 60,
  refusalSeconds: 5,
}
/** Longest lifetime of an answer and of a refusal, seconds; `balanced` has the default lifetimes. */
export const longestLifeS = (tenant: string): number => (tenant === 'initech' ? 86_400 : 120)
export const refusalLifeS = (tenant: string): number => (tenant === 'initech' ? 86_400 : 5)
export const STALE_S = 60

const ENGLISH: Language = { ...english, stem: once(english.stem), partsOf: once(english.partsOf) }

/** Refuses if the best score of a reranker is low: scores that are none must not get this far. */
const rerankedHigh = (): PolicyGate =>
  gateWith(
    defineGate({
      name: 'reranked-high',
      stage: 'pre-generation',
      texts: { reranked_low: refusalText('No.', 'No.', 'No.') },
      reads: () => [curves],
      validate: (settings: { readonly gate: 'reranked-high' }) => requireOptions(settings, { gate: required(string) }),
      check: (_, { signals: { curves: scores } }) => {
        const [top = 1] = [
          ...(scores?.grade?.scores ?? []).map((grade) => grade / 3),
          ...(scores?.['cross-encoder']?.scores ?? []),
        ]
        return top >= 0.6
          ? { outcome: 'pass', code: 'passed', message: '' }
          : { outcome: 'refuse', code: 'reranked_low', message: '' }
      },
    }),
    { gate: 'reranked-high' },
  )

/** Passes if and only if one sentence holds nearly all of the question. */
const coverage = (name: string): Policy =>
  definePolicy({
    name,
    confidence: logistic({ intercept: -36, weights: { sentenceCoverage: 40 }, provenance: 'simulation' }),
    bands: { high: 0.85, medium: 0.6, low: 0.1 },
    language: ENGLISH,
    cacheLifetimes: LIFETIMES,
    gates: [
      readableQuestion(),
      questionLength(),
      loneTerm(),
      confidenceRange({ refuseBelow: 0.5, adviseBelow: 0.6 }),
      rerankedHigh(),
    ],
  })

const COVERAGE = coverage('coverage')
const POLICIES: Readonly<Record<string, Policy>> = {
  acme: COVERAGE,
  globex: COVERAGE,
  initech: balanced({ language: ENGLISH }),
}

/** Refuses everything; an operator may choose it for a collection. */
export const CLOSED = definePolicy({
  name: 'closed',
  confidence: logistic({ intercept: -9, weights: { sentenceCoverage: 1 }, provenance: 'simulation' }),
  bands: { high: 0.85, medium: 0.6, low: 0.1 },
  language: ENGLISH,
  cacheLifetimes: LIFETIMES,
  gates: [confidenceRange({ refuseBelow: 0.5, adviseBelow: 0.6 })],
})

/** An answer made by a handler. */
export interface MadeAnswer {
  /** The question that it was made for. */
  readonly asked: number
  readonly beganMs: number
  /** Number of the newest purge known before retrieval for it. */
  readonly knewEpoch: number
  readonly tenant: string
  readonly principal: string
  readonly verdict: string
}

/** An event as recorded by an isolate. */
export interface Recorded {
  readonly isolate: Isolate
  readonly event: DecisionEvent
  readonly atMs: number
  /** The question that it was recorded for. */
  readonly running: Running | undefined
}

/** What the checks inspect. */
export interface Journal {
  readonly made: Map<string, MadeAnswer>
  readonly decided: Map<string, number>
  readonly recorded: Recorded[]
  /** Ids of events that reached the queue. */
  readonly queued: Set<string>
  /** Texts that the model received and must not receive. */
  readonly shown: string[]
}

/** One isolate. */
export interface Isolate {
  alive: boolean
  readonly app: Hono<RagGateEnv>
  readonly ingest: IngestPorts
  readonly collections: CollectionWriter
  readonly keys: ApiKeys
  readonly purges: AnswerPurges
  readonly log: DecisionLog
  dropped: number
  /** Time of its last call of the model. */
  calledMs: number
  /** Start of the last successful write of its log. */
  wroteMs: number
  /** Start of the last write of an event, by decision id. */
  readonly triedMs: Map<string, number>
}

/** Setup of a deployment. */
export interface Setup {
  readonly scope: 'tenant' | 'principal'
  readonly log: 'buffered' | 'queue'
  readonly reranks: 'no' | 'cross-encoder' | 'grade'
  readonly outageMs: number
  /** `none`: as with an index that others fill. */
  readonly lexicons: 'of each collection' | 'none'
  /** Faults of the model in an isolate; with a single isolate, a call that never ends is soon noticed. */
  readonly callsAtOnce: 1 | 50
}

const LEADER_TIMEOUT_MS = 20_000

/** How long the runtime lets a request and its remaining work run. */
export const LONGEST_REQUEST_MS = 60_000

const SPLITTER: Splitter = {
  version: 'lines/1',
  split: async (text) => ({ parts: text.split('\n').map((line) => ({ text: line })), hiddenText: false }),
}

/** All external services, and the isolates. */
export class Deployment {
  readonly database = new Database()
  readonly journal: Journal = { made: new Map(), decided: new Map(), recorded: [], queued: new Set(), shown: [] }
  readonly counts: FaultCounts = new Map()
  readonly time: VirtualTime
  readonly setup: Setup
  isolates: Isolate[] = []
  /** Whether calls fail now. */
  stormy = false
  readonly services: Services
  readonly #wire: Wire
  readonly #flights = new Map<string, Flight>()
  readonly #leads: { readonly flight: Flight; readonly leader: number; readonly by: Running | undefined }[] = []
  #queue: QueuedDecision[] = []
  #made = 0

  constructor(time: VirtualTime, setup: Setup) {
    this.time = time
    this.setup = setup
    this.#wire = makeWire(time, this.counts, () => this.stormy)
    this.services = new Services(time, this.#wire)
  }

  /** A new isolate of the same deployment. */
  start(): Isolate {
    const { time, setup, journal, services } = this
    const wire = this.#wire
    const db = this.database.binding(wire)
    const clock = { nowMs: () => time.wallMs() }
    const ages = { copyMaxAgeMs: COPY_MS, outageMaxAgeMs: setup.outageMs, clock }
    const collections = createD1Collections({ db, ...ages })
    const keys = createD1ApiKeys({ db, ...ages, unknownMaxAgeMs: 1000 })
    const stated = createD1AnswerPurges({ db, copyMaxAgeMs: PURGE_COPY_MS, clock })
    const reads: { tenant: string; sinceMs: number; epoch: number }[] = []
    const purges: AnswerPurges = {
      ...stated,
      async known(tenant) {
        const sinceMs = time.nowMs
        const known = await stated.known(tenant)
        reads.push({ tenant, sinceMs, epoch: known.epoch })
        return known
      },
    }
    const index = services.chunkIndex()
    const isolate: Isolate = {
      alive: true,
      app: new Hono<RagGateEnv>(),
      ingest: { index, collections, clock, language: ENGLISH, splitter: SPLITTER },
      collections,
      keys,
      purges,
      log: undefined as unknown as DecisionLog,
      dropped: 0,
      calledMs: -Infinity,
      wroteMs: -1,
      triedMs: new Map(),
    }
    const stored = createD1DecisionStore({ db })
    const store: DecisionStore = {
      write: async (events: readonly NumberedEvent[]) => {
        const beganMs = time.nowMs
        for (const { event } of events) isolate.triedMs.set(event.id, beganMs)
        await stored.write(events)
        isolate.wroteMs = Math.max(isolate.wroteMs, beganMs)
      },
      noteDropped: (dropped) => stored.noteDropped!(dropped),
    }
    const onDropped = (count: number): void => void (isolate.dropped += count)
    const log =
      setup.log === 'buffered'
        ? createBufferedDecisionLog({ store, onDropped, clock, flushAt: 20 })
        : createQueueDecisionLog({ queue: this.#producer(), fallback: store, onDropped, clock })
    Object.assign(isolate, { log })
    const retriever = createHttpRetriever({
      url: 'https://search.example/',
      scoreKind: 'bm25',
      fetch: (_, init) => services.search(init),
    })
    const model = createLimitedGenerator({
      generator: createOpenAiGenerator({
        baseUrl: 'https://model.example/v1',
        apiKey: 'key',
        model: 'm',
        fetch: (_, init) => {
          isolate.calledMs = time.nowMs
          return services.answer(init)
        },
      }),
      callsAtOnce: setup.callsAtOnce,
      streamTimeoutMs: LONGEST_REQUEST_MS,
    })
    const cache = answerCache({
      store: createTieredAnswerCache({
        tiers: [createMemoryAnswerCache({ maxBytes: 200_000 }), createKvAnswerCache({ kv: services.kvStore() })],
      }),
      purges,
      coalescer: this.#coalescer(isolate),
      scope: setup.scope,
      staleIfErrorSeconds: STALE_S,
    })
    const reranker = services.reranker(setup.reranks)
    const gate = ragGate({
      dependencies: {
        retriever,
        collections: setup.lexicons === 'none' ? withoutLexicons(collections) : collections,
        ...(reranker && { reranker: reranking(reranker) }),
        cache,
        log: {
          record: (event) => {
            journal.recorded.push({ isolate, event, atMs: time.nowMs, running: runningNow() })
            return log.record(event)
          },
          flush: () => log.flush(),
        },
        authenticate: createBearerAuthenticator({ tokens: [], keys, anonymous: null }),
        clock,
      },
      policy: (tenant, _, chosen) => (chosen === CLOSED.id ? CLOSED : POLICIES[tenant]!),
      question: { collections: ['default', 'manual'], otherFields: 'allow' },
      onWarning: () => undefined,
    })
    isolate.app.onError((thrown, c) => respondWithError(c, thrown, { overloaded: 503 }))
    for (const path of ['/ask', '/stream'] as const) {
      isolate.app.post(path, gate, async (c) => {
        const { question, context, decision, report } = c.var.ragGate
        const nonce = `nonce${this.#made++}z`
        const { tenant, verdict } = decision
        const principal = (c.req.header('authorization') ?? '').slice(7, 26)
        const [asked, beganMs] = [Number(c.req.header('x-asked')), Number(c.req.header('x-began'))]
        // Its own reading of purges is one of these, and none was older.
        const own = reads.filter((read) => read.tenant === tenant && read.sinceMs >= beganMs)
        const knewEpoch = own.reduce((least, { epoch }) => Math.min(least, epoch), own[0]?.epoch ?? 0)
        journal.made.set(nonce, { asked, beganMs, knewEpoch, tenant, principal, verdict })
        for (const mark of marksIn(context.text)) {
          if (mark.tenant !== tenant || mark.collection !== decision.collection)
            journal.shown.push(`${tenant}: ${context.text}`)
        }
        const wanted = { question, chunks: context.chunks, context: context.text, signal: c.req.raw.signal }
        if (path === '/ask') {
          const made = await model.generate(wanted)
          report({ complete: made.complete })
          return c.json({ answer: made.text, nonce, principal })
        }
        const pieces = model.stream!(wanted)
        return new Response(eventsOf(pieces, nonce, principal, report), {
          headers: { 'content-type': 'text/event-stream' },
        })
      })
    }
    this.isolates.push(isolate)
    return isolate
  }

  /** Kills an isolate at its pending awaits. */
  kill(isolate: Isolate): void {
    isolate.alive = false
    this.isolates = this.isolates.filter((other) => other !== isolate)
    for (const { flight, leader, by } of this.#leads) if (by?.isolate === isolate) flight.lose(leader)
  }

  /** Cancels a request at its pending awaits, as workerd does if the client leaves and no work follows the response. */
  cancel(request: Running): void {
    request.cancelled = true
    for (const { flight, leader, by } of this.#leads) if (by === request) flight.lose(leader)
  }

  get flightsAloft(): number {
    return [...this.#flights.values()].filter(({ idle }) => !idle).length
  }

  /** Delivers the queue's messages: reordered, partly, some twice. */
  async deliver(random: () => number): Promise<void> {
    const store = createD1DecisionStore({ db: this.database.binding(this.#wire) })
    const consume = createDecisionConsumer({ store: () => store })
    const batch = this.#queue.sort(() => random() - 0.5).slice(0, 50)
    this.#queue = this.#queue.slice(50)
    const messages = batch.map((body) => {
      const isUnheard = this.stormy && random() < 0.05
      let isSettled = false
      const settle = (isAgain: boolean): void => {
        if (isAgain && !isSettled) this.#queue.push(body)
        isSettled = true
      }
      // Messages that were written but not acknowledged are redelivered, as are those of a call that does not end.
      this.time.after(LONGEST_REQUEST_MS, undefined, () => settle(true))
      return { body, ack: () => settle(isUnheard), retry: () => settle(true) }
    })
    // The part of a batch that the consumer uses.
    await consume({ messages } as unknown as Parameters<typeof consume>[0])
  }

  /** Runs a Worker's scheduled jobs. */
  async count(): Promise<void> {
    await createD1Counting({ db: this.db }).countMany(this.time.wallMs())
  }

  /** The database as seen from outside. */
  get db(): D1Database {
    return this.database.binding(this.#wire)
  }

  get queued(): number {
    return this.#queue.length
  }

  #producer(): { send(body: QueuedDecision): Promise<never> } {
    const arrive = (body: QueuedDecision): void => {
      this.#queue.push(structuredClone(body))
      this.journal.queued.add(body.numbered.event.id)
    }
    // The result of `send` is not used.
    return { send: (body) => this.#wire('queue', () => arrive(body)) as Promise<never> }
  }

  #coalescer(isolate: Isolate): Coalescer {
    const flightOf = (key: string): Flight => {
      const known = this.#flights.get(key) ?? new Flight(() => this.time.wallMs())
      this.#flights.set(key, known)
      return known
    }
    const joined = async (key: string, terms: JoinTerms, by: Running | undefined) => {
      const flight = flightOf(key)
      const role = await flight.join(terms)
      if (role.kind === 'leader') {
        this.#leads.push({ flight, leader: role.leaderId, by })
        // The runtime ends a call with the request that made it.
        this.time.after(LONGEST_REQUEST_MS, undefined, () => flight.lose(role.leaderId))
        if (!isolate.alive || by?.cancelled === true) flight.lose(role.leaderId)
      }
      return { role, flight }
    }
    return {
      leaderTimeoutMs: LEADER_TIMEOUT_MS,
      join: async (key, purgeEpoch) => {
        const terms = { leaderTimeoutMs: LEADER_TIMEOUT_MS, purgeEpoch }
        const by = runningNow()
        const { made } = await this.#wire('object', () => ({ made: runOutside(() => joined(key, terms, by)) }))
        const { role, flight } = await made
        if (role.kind !== 'leader') return role
        const { leaderId } = role
        let begun: Promise<void> | undefined
        return {
          kind: 'leader',
          leader: {
            begin: (answer, body) => {
              // A stream is sent once: the call fails, not the reading.
              begun = this.#wire('object', () => undefined).then(
                () => flight.begin(leaderId, answer, body),
                () => body.cancel(),
              )
            },
            complete: async (outcome) => {
              await begun
              await this.#wire('object', () => runOutside(() => flight.complete(leaderId, outcome))).catch(
                () => undefined,
              )
            },
          },
        }
      },
    }
  }
}

function withoutLexicons(collections: Collections): Collections {
  return {
    find: async (tenant, id) => {
      const found = await collections.find(tenant, id)
      return found && { ...found, lexiconId: null }
    },
    lexicon: (id) => collections.lexicon(id),
  }
}

/** Work of a Durable Object; the isolate that called it may be gone meanwhile. */
function runOutside<Result>(work: () => Result): Result {
  const now = runningNow()
  return now === undefined ? work() : runAs({ random: now.random, faulty: now.faulty } satisfies Running, work)
}

/** A stream of an OpenAI-compatible model, as a handler forwards it. */
function eventsOf(
  pieces: AsyncIterator<string, Generation>,
  nonce: string,
  principal: string,
  report: RagGateContext['report'],
): ReadableStream<Uint8Array> {
  const event = (content: string, finish: string | null): Uint8Array =>
    new TextEncoder().encode(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`,
    )
  return new ReadableStream({
    start: (controller) => controller.enqueue(event(`${nonce} ${principal} `, null)),
    async pull(controller) {
      const next = await pieces.next()
      if (next.done !== true) return controller.enqueue(event(next.value, null))
      report({ complete: next.value.complete })
      controller.enqueue(event('', next.value.complete ? 'stop' : 'length'))
      controller.enqueue(new TextEncoder().encode('data: [DONE]\n\n'))
      controller.close()
    },
    async cancel() {
      await pieces.return?.()
    },
  })
}
