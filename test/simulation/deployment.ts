/** Isolates of one deployment, made of the package's own parts, over ports that fail. */
import { reranking } from '../../src/pipeline/reranking.ts'
import type { D1Database } from '@cloudflare/workers-types'
import { Hono } from 'hono'
import { createBufferedDecisionLog } from '../../src/adapters/buffered-decision-log.ts'
import { createDecisionConsumer } from '../../packages/cloudflare/src/decision-consumer.ts'
import { createKvAnswerCache, type KvStore } from '../../packages/cloudflare/src/kv-answer-cache.ts'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { createTieredAnswerCache } from '../../src/adapters/tiered-answer-cache.ts'
import { createQueueDecisionLog, type QueuedDecision } from '../../packages/cloudflare/src/queue-decision-log.ts'
import { createD1AnswerPurges, createD1DecisionStore } from '../../src/adapters/d1.ts'
import { Flight, type JoinTerms } from '../../src/adapters/coalescing/flight.ts'
import { answerCache } from '../../src/cache/answer-cache.ts'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import { confidenceRange } from '../../src/core/gates/confidence-range.ts'
import { loneTerm } from '../../src/core/gates/lone-term.ts'
import { questionLength } from '../../src/core/gates/question-length.ts'
import { readableQuestion } from '../../src/core/gates/readable-question.ts'
import { logistic } from '../../src/core/policy/logistic.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import type { Language } from '../../src/core/text/language.ts'
import { english } from '../../src/language/english/english.ts'
import { terms } from '../../src/language/english/terms.ts'
import type { RagGateContext, RagGateEnv } from '../../src/middleware/gate-context.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { respondWithError } from '../../src/middleware/respond.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import type { AnswerPurges } from '../../src/ports/answer-purges.ts'
import type { ChunkIndex } from '../../src/ports/chunk-index.ts'
import type { Coalescer } from '../../src/ports/coalescer.ts'
import type { Collections } from '../../src/ports/collections.ts'
import type { DecisionEvent, DecisionLog, DecisionStore, NumberedEvent } from '../../src/ports/decision-log.ts'
import type { Reranker } from '../../src/ports/reranker.ts'
import { createD1ApiKeys } from '../../packages/console/src/d1/api-keys.ts'
import type { ApiKeys } from '../../packages/console/src/keys/api-keys.ts'
import { createBearerAuthenticator } from '../../packages/console/src/keys/bearer-tokens.ts'
import { createD1Collections } from '../../packages/ingest/src/d1/collections.ts'
import type { IngestPorts } from '../../packages/ingest/src/ingest-documents.ts'
import type { Splitter } from '../../packages/ingest/src/splitter.ts'
import type { Generation } from '../../packages/models/src/generator.ts'
import { createLlmGrader } from '../../packages/models/src/llm-grader.ts'
import { createLimitedGenerator } from '../../packages/models/src/limited-generator.ts'
import { createOpenAiGenerator } from '../../packages/models/src/openai-compatible.ts'
import { createHttpRetriever } from '../../packages/upstream/src/http-retriever.ts'
import { Database } from './database.ts'
import { plainResponse } from './messages.ts'
import { marksIn } from './truth.ts'
import { type Running, runAs, runningNow, type VirtualTime } from './virtual-time.ts'
import { type FaultCounts, makeWire, type Wire } from './wire.ts'

/** How long a copy of a collection or of a key counts, and what stands in while the database is away, milliseconds. */
export const COPY_MS = 10_000
export const PURGE_COPY_MS = 5_000

/** Short lives, so that answers grow old within a run. */
const LIFETIMES = {
  high: { fromSeconds: 60, toSeconds: 120 },
  medium: { fromSeconds: 60, toSeconds: 60 },
  low: { fromSeconds: 60, toSeconds: 60 },
  adviseAtMostSeconds: 60,
  refusalSeconds: 5,
}
/** Longest that an answer and a refusal live, seconds; `balanced` has the default lifetimes. */
export const longestLifeS = (tenant: string): number => (tenant === 'initech' ? 86_400 : 120)
export const refusalLifeS = (tenant: string): number => (tenant === 'initech' ? 86_400 : 5)
export const STALE_S = 60

/** Of a pure reading: the texts of a simulation are few, and come again. */
function once<Read>(read: (text: string) => Read): (text: string) => Read {
  const known = new Map<string, Read>()
  return (text) => {
    let found = known.get(text)
    if (found === undefined) {
      if (known.size > 5000) known.clear()
      known.set(text, (found = read(text)))
    }
    return found
  }
}

const termsOf = once(terms)
const ENGLISH: Language = { ...english, stem: once(english.stem), partsOf: once(english.partsOf) }

/** Passes exactly where one sentence holds nearly all of the question. */
const coverage = (name: string): Policy =>
  definePolicy({
    name,
    confidence: logistic({ intercept: -36, weights: { sentenceCoverage: 40 }, provenance: 'simulation' }),
    bands: { high: 0.85, medium: 0.6, low: 0.1 },
    language: ENGLISH,
    cacheLifetimes: LIFETIMES,
    gates: [readableQuestion(), questionLength(), loneTerm(), confidenceRange({ refuseBelow: 0.5, adviseBelow: 0.6 })],
  })

const COVERAGE = coverage('coverage')
const POLICIES: Readonly<Record<string, Policy>> = {
  acme: COVERAGE,
  globex: COVERAGE,
  initech: balanced({ language: ENGLISH }),
}

/** An answer that a handler made. */
export interface MadeAnswer {
  /** Of the question that it was made for. */
  readonly asked: number
  readonly beganMs: number
  /** A purge of this number was known before anything was retrieved for it. */
  readonly knewEpoch: number
  readonly tenant: string
  readonly principal: string
  readonly verdict: string
}

/** An event as an isolate recorded it. */
export interface Recorded {
  readonly isolate: Isolate
  readonly event: DecisionEvent
  readonly atMs: number
  /** What it was recorded for. */
  readonly running: Running | undefined
}

/** What the checks look at. */
export interface Journal {
  readonly made: Map<string, MadeAnswer>
  readonly decided: Map<string, number>
  readonly recorded: Recorded[]
  /** What the model was shown that it must not be. */
  readonly shown: string[]
  readonly unhandled: unknown[]
}

/** One isolate. */
export interface Isolate {
  readonly name: string
  alive: boolean
  diedMs?: number
  readonly app: Hono<RagGateEnv>
  readonly ingest: IngestPorts
  readonly keys: ApiKeys
  readonly purges: AnswerPurges
  readonly log: DecisionLog
  dropped: number
  /** When the last write of its log that succeeded began. */
  wroteMs: number
  /** When the last write of an event began, by the id of its decision. */
  readonly triedMs: Map<string, number>
}

/** How a deployment is set up. */
export interface Setup {
  readonly scope: 'tenant' | 'principal'
  readonly log: 'buffered' | 'queue'
  readonly reranks: 'no' | 'cross-encoder' | 'grade'
  readonly outageMs: number
  /** `none`: as of an index that others filled. */
  readonly lexicons: 'of each collection' | 'none'
  /** Of the model, in an isolate: of a single one, a call that never ends is soon missed. */
  readonly callsAtOnce: 1 | 50
}

const LEADER_TIMEOUT_MS = 20_000

/** How long the runtime lets a request and what it left behind go on. */
const LONGEST_REQUEST_MS = 60_000

/** How every answer of the model ends. */
export const END_OF_ANSWER = 'That is all.'

interface Held {
  readonly text: string
  readonly untilMs: number
  /** What another data centre still sees. */
  readonly before: string | null
  readonly putMs: number
}

const SPLITTER: Splitter = {
  version: 'lines/1',
  formats: ['text'],
  split: async (text) => ({ parts: text.split('\n').map((line) => ({ text: line })), hiddenText: false }),
}

/** Everything outside of the isolates, and the isolates. */
export class Deployment {
  readonly database = new Database()
  readonly journal: Journal = { made: new Map(), decided: new Map(), recorded: [], shown: [], unhandled: [] }
  readonly counts: FaultCounts = new Map()
  readonly time: VirtualTime
  readonly setup: Setup
  isolates: Isolate[] = []
  dead: Isolate[] = []
  /** Whether calls fail now. */
  stormy = false
  readonly #wire: Wire
  readonly #index = new Map<string, Map<string, Passage>>()
  readonly #kv = new Map<string, Held>()
  readonly #flights = new Map<string, Flight>()
  readonly #leads: { readonly flight: Flight; readonly leader: number; readonly by: Running | undefined }[] = []
  #queue: QueuedDecision[] = []
  #made = 0
  #names = 0

  constructor(time: VirtualTime, setup: Setup) {
    this.time = time
    this.setup = setup
    this.#wire = makeWire(time, this.counts, () => this.stormy)
  }

  /** A new isolate of the same deployment. */
  start(): Isolate {
    const { time, setup, journal } = this
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
    const index = this.#chunkIndex()
    const isolate: Isolate = {
      name: `isolate ${this.#names++}`,
      alive: true,
      app: new Hono<RagGateEnv>(),
      ingest: { index, collections, clock, language: ENGLISH, splitter: SPLITTER },
      keys,
      purges,
      log: undefined as unknown as DecisionLog,
      dropped: 0,
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
      fetch: (_, init) => this.#search(init),
    })
    const model = createLimitedGenerator({
      generator: createOpenAiGenerator({
        baseUrl: 'https://model.example/v1',
        apiKey: 'key',
        model: 'm',
        fetch: (_, init) => this.#answer(init),
      }),
      callsAtOnce: setup.callsAtOnce,
      streamTimeoutMs: LONGEST_REQUEST_MS,
    })
    const cache = answerCache({
      store: createTieredAnswerCache({
        tiers: [createMemoryAnswerCache({ maxBytes: 200_000 }), createKvAnswerCache({ kv: this.#kvStore() })],
      }),
      purges,
      coalescer: this.#coalescer(isolate),
      scope: setup.scope,
      staleIfErrorSeconds: STALE_S,
    })
    const reranker = this.#reranker()
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
      policy: (tenant) => POLICIES[tenant]!,
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
        // Its own reading of purges is one of these, and none knew less.
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

  /** Ends an isolate at what it waits for. */
  kill(isolate: Isolate): void {
    isolate.alive = false
    isolate.diedMs = this.time.nowMs
    this.isolates = this.isolates.filter((other) => other !== isolate)
    this.dead.push(isolate)
    for (const { flight, leader, by } of this.#leads) if (by?.isolate === isolate) flight.lose(leader)
  }

  /** Cancels a request at what it waits for, as workerd does where its client leaves and it has no work behind the response. */
  cancel(request: Running): void {
    request.cancelled = true
    for (const { flight, leader, by } of this.#leads) if (by === request) flight.lose(leader)
  }

  /** Everything that the index holds of a text that was written. */
  get indexed(): number {
    return [...this.#index.values()].reduce((sum, { size }) => sum + size, 0)
  }

  get flightsAloft(): number {
    return [...this.#flights.values()].filter(({ idle }) => !idle).length
  }

  /** Delivers what is in the queue: in another order, in part, some of it twice. */
  async deliver(random: () => number): Promise<void> {
    const store = createD1DecisionStore({ db: this.database.binding(this.#wire) })
    const consume = createDecisionConsumer({ store: () => store })
    const batch = this.#queue.sort(() => random() - 0.5).slice(0, 50)
    this.#queue = this.#queue.slice(50)
    const messages = batch.map((body) => {
      const isUnheard = this.stormy && random() < 0.05
      return {
        body,
        // What was written and not acknowledged comes again.
        ack: () => void (isUnheard && this.#queue.push(body)),
        retry: () => void this.#queue.push(body),
      }
    })
    // As much of a batch as the consumer looks at.
    await consume({ messages } as unknown as Parameters<typeof consume>[0])
  }

  /** The database as those see it who look at it from outside. */
  get db(): D1Database {
    return this.database.binding(this.#wire)
  }

  get queued(): number {
    return this.#queue.length
  }

  #producer(): { send(body: QueuedDecision): Promise<never> } {
    // What `send` gives is not looked at.
    return { send: (body) => this.#wire('queue', () => void this.#queue.push(structuredClone(body))) as Promise<never> }
  }

  #kvStore(): KvStore {
    const { time } = this
    const at = (name: string, stale: boolean): string | null => {
      const held = this.#kv.get(name)
      if (held === undefined || held.untilMs < time.nowMs) return null
      return stale && time.nowMs - held.putMs < 60_000 ? held.before : held.text
    }
    return {
      get: (name) =>
        this.#wire(
          'kv',
          () => at(name, false),
          (random) => {
            const text = at(name, true)
            const other = [...this.#kv.values()][Math.floor(random() * this.#kv.size)]?.text ?? null
            return pick(random, [
              text,
              other,
              text?.slice(0, text.length / 2) ?? null,
              text?.replace(/\d/, '7') ?? null,
              '[]',
            ])
          },
        ),
      put: (name, text, { expirationTtl }) =>
        this.#wire(
          'kv',
          () => {
            const before = at(name, false)
            this.#kv.set(name, { text, before, putMs: time.nowMs, untilMs: time.nowMs + expirationTtl * 1000 })
          },
          () => {
            throw new Error('KV PUT failed: 429 Too Many Requests')
          },
        ),
      delete: (name) => this.#wire('kv', () => void this.#kv.delete(name)),
    }
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
              // A stream goes over once: what fails is the call, not the reading.
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

  #reranker(): Reranker | undefined {
    const { reranks } = this.setup
    if (reranks === 'no') return undefined
    if (reranks === 'grade') {
      const baseUrl = 'https://grader.example/v1'
      return createLlmGrader({ baseUrl, apiKey: 'key', model: 'g', fetch: (_, init) => this.#grade(init) })
    }
    return {
      model: reranks,
      kind: reranks,
      rerank: ({ question, passages }) => {
        const scores = passages.map(({ text }) => shareOf(question, text))
        return this.#wire(
          'reranker',
          () => scores,
          (random) => pick(random, [scores.slice(1), scores.map(() => NaN), scores.map(() => 99), [], [...scores, 1]]),
        )
      },
    }
  }

  /** The model that grades. */
  #grade(init: RequestInit): Promise<Response> {
    // What `createLlmGrader` sends: words of the corpus hold nothing that it escapes.
    const { messages } = JSON.parse(String(init.body)) as { messages: { content: string }[] }
    const { content } = messages.at(-1)!
    const question = content.slice(content.lastIndexOf('<question>') + 10, -11)
    const passages = content.split('<passage number="').slice(1)
    const lines = passages.map((text, at) => `${at + 1}: ${Math.round(3 * shareOf(question, text))}`)
    const whole = (reply: string): string => JSON.stringify({ choices: [{ message: { content: reply } }] })
    return this.#wire(
      'reranker',
      () => plainResponse(whole(lines.join('\n'))),
      (random) =>
        badResponse(random, whole(lines.join('\n')), [
          () => plainResponse(whole(lines.slice(1).join('\n'))),
          () => plainResponse(whole(lines.map((line) => line.replace(/\d$/, '99')).join('\n'))),
          () => plainResponse(whole([...lines, '1: 3'].join('\n'))),
          () => plainResponse(whole('Score: 3')),
          () => plainResponse(whole(lines.map((line) => line.replace(/\d$/, 'NaN')).join('\n'))),
          () => plainResponse('{"choices":null}'),
        ]),
    )
  }

  #chunkIndex(): ChunkIndex {
    const wire = this.#wire
    const of = (namespace: string): Map<string, Passage> => {
      const known = this.#index.get(namespace) ?? new Map<string, Passage>()
      this.#index.set(namespace, known)
      return known
    }
    return {
      describe: () => wire('embedder', () => ({ embeddingModel: 'e', dimension: 2 })),
      upsert: (namespace, passages) =>
        wire(
          'index',
          () => passages.forEach((passage) => of(namespace).set(passage.id, passage)),
          () => {
            for (const passage of passages.slice(0, passages.length / 2)) of(namespace).set(passage.id, passage)
            throw new Error('index: 500')
          },
        ),
      fetch: (namespace, ids) => wire('index', () => ids.map((id) => of(namespace).get(id) ?? null)),
      delete: (namespace, ids) => wire('index', () => ids.forEach((id) => of(namespace).delete(id))),
      settle: () => wire('index', () => undefined),
    }
  }

  /** The search service: BM25 over what the index holds. */
  #search(init: RequestInit): Promise<Response> {
    // What `createHttpRetriever` sends.
    const { question, topK, namespace } = JSON.parse(String(init.body)) as {
      question: string
      topK: number
      namespace: string
    }
    const rowsOf = (name: string) => {
      const passages = [...(this.#index.get(name)?.values() ?? [])]
      const read = passages.map((passage) => ({ passage, words: termsOf(passage.text) }))
      const wanted = [...new Set(termsOf(question))].map((term) => {
        const holding = read.filter(({ words }) => words.includes(term)).length
        return { term, idf: Math.log(1 + (read.length - holding + 0.5) / (holding + 0.5)) }
      })
      return read
        .map(({ passage, words }) => ({
          ...passage,
          namespace: name,
          score: wanted.reduce((sum, { term, idf }) => sum + (words.includes(term) ? idf : 0), 0),
        }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, topK)
    }
    return this.#wire(
      'retriever',
      () => plainResponse(JSON.stringify({ results: rowsOf(namespace) })),
      (random) => {
        const rows = rowsOf(namespace)
        const foreign = [...this.#index.keys()].filter((name) => name !== namespace)
        return badResponse(random, JSON.stringify({ results: rows }), [
          () => plainResponse(JSON.stringify({ results: rows.map((row) => ({ ...row, score: 'NaN' })) })),
          () => plainResponse(JSON.stringify({ results: rows }).replaceAll(/"score":[\d.]+/g, '"score":1e999')),
          () => plainResponse(JSON.stringify({ results: foreign.flatMap(rowsOf) })),
          () => plainResponse(JSON.stringify({ results: [...rows].reverse().flatMap((row) => [row, row]) })),
          () => plainResponse('{"results":null}'),
        ])
      },
    )
  }

  /** The model: it repeats what it was given to read. */
  #answer(init: RequestInit): Promise<Response> {
    // What `createOpenAiGenerator` sends.
    const { messages, stream } = JSON.parse(String(init.body)) as { messages: { content: string }[]; stream?: boolean }
    const text = `It says: ${messages
      .map(({ content }) =>
        marksIn(content)
          .map((mark) => `zq${Object.values(mark).join('x')}z`)
          .join(' '),
      )
      .join(' ')} ${END_OF_ANSWER}`
    if (stream !== true) {
      const whole = (finish: string | null, content = text): string =>
        JSON.stringify({ model: 'm', choices: [{ finish_reason: finish, message: { role: 'assistant', content } }] })
      return this.#wire(
        'model',
        () => plainResponse(whole('stop')),
        (random) =>
          badResponse(random, whole('stop'), [
            () => plainResponse(whole('length')),
            () => plainResponse(whole(null)),
            () => plainResponse('{"error":{"message":"no"}}'),
          ]),
      )
    }
    const pieces = [...(text.match(/.{1,20}/gs) ?? []), ''].map((content, at, all) => {
      const finish = at === all.length - 1 ? 'stop' : null
      return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`
    })
    pieces.push('data: [DONE]\n\n')
    const { time } = this
    const drip = (sent: readonly string[], end: 'close' | 'hang' | 'break'): Response => {
      let at = 0
      let isLeft = false
      return new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) =>
            new Promise((resolve) => {
              time.after(20, runningNow(), () => {
                const piece = sent[at++]
                if (isLeft) resolve()
                else if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece))
                else if (end === 'close') controller.close()
                else if (end === 'break') controller.error(new Error('connection lost'))
                if (piece !== undefined || end !== 'hang') resolve()
              })
            }),
          cancel: () => {
            isLeft = true
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    }
    return this.#wire(
      'model',
      () => drip(pieces, 'close'),
      (random) => {
        const some = pieces.slice(0, Math.floor(random() * pieces.length))
        return badResponse(random, text, [
          () => drip(some, 'close'),
          () => drip(some, 'hang'),
          () => drip(some, 'break'),
        ])
      },
    )
  }
}

/** Share of a question's terms that a text has. */
function shareOf(question: string, text: string): number {
  const wanted = termsOf(question)
  const there = termsOf(text)
  return wanted.filter((term) => there.includes(term)).length / Math.max(1, wanted.length)
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

/** Work of a Durable Object: the isolate that asked for it may be gone meanwhile. */
function runOutside<Result>(work: () => Result): Result {
  const now = runningNow()
  return now === undefined ? work() : runAs({ random: now.random, faulty: now.faulty } satisfies Running, work)
}

function pick<Value>(random: () => number, of: readonly Value[]): Value {
  return of[Math.floor(random() * of.length)]!
}

/** What a service answers on a bad day, beside what this one alone does. */
function badResponse(random: () => number, good: string, own: readonly (() => Response)[]): Response {
  return pick(random, [
    ...own,
    () => plainResponse('{"error":"busy"}', 429, { 'retry-after': '7' }),
    () => plainResponse('{"error":"broken"}', 500),
    () => plainResponse('<h1>Bad gateway</h1>', 502),
    () => plainResponse('{"error":"key"}', 401),
    () => plainResponse(good.slice(0, good.length / 2)),
    () => plainResponse(''),
    () => new Response(new ReadableStream({ start: () => undefined })),
    () => plainResponse('', 302, { location: 'https://elsewhere.example/' }),
  ])()
}

/** A stream of an OpenAI-compatible model, as a handler passes it on. */
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
