/** Runs the steps of a simulation, and checks the invariants after each. */
import { seededRandom } from '../../bench/seeded-random.ts'
import { isRagGateError } from '../../src/errors.ts'
import { ingestDocuments } from '../../packages/ingest/src/ingest-documents.ts'
import { removeDocuments } from '../../packages/ingest/src/remove-documents.ts'
import {
  CLOSED,
  LONGEST_REQUEST_MS,
  COPY_MS,
  Deployment,
  type Isolate,
  longestLifeS,
  PURGE_COPY_MS,
  refusalLifeS,
  STALE_S,
} from './deployment.ts'
import { idIn, Ledger } from './ledger.ts'
import { END_OF_ANSWER } from './services.ts'
import { DOCUMENTS_EACH, PRINCIPALS_EACH, type Step } from './steps.ts'
import { COLLECTIONS, type DocumentName, marksIn, questionOf, TENANTS, Truth, type Writing } from './truth.ts'
import { install, type Running, runAs, VirtualTime } from './virtual-time.ts'
import { REPEATED_MS, SLOWEST_MS } from './wire.ts'

/** A violated invariant. */
export interface Violation {
  readonly rule: string
  readonly detail: string
  /** Questions asked by then. */
  readonly questions: number
}

/** Result of a run. */
export interface Run {
  readonly violations: readonly Violation[]
  readonly questions: number
  /** Responses by kind. */
  readonly outcomes: ReadonlyMap<string, number>
  readonly faults: ReadonlyMap<string, number>
  /** Digest of all answers: equal for two runs of the same steps. */
  readonly digest: string
}

/** Abort reason of what is left of a run: otherwise an error would be created for each. */
const OVER = new DOMException('The run is over', 'AbortError')

/** Maximum duration of a question, milliseconds: body, key, collection, flight, retrieval, model and silence. */
const ANSWERED_WITHIN_MS = 90_000
/** Time until everything requested is over. */
const QUIET_MS = 240_000

/** Statuses and codes that a question may get besides 200. */
const DECLARED: ReadonlySet<string> = new Set([
  '400 invalid_json',
  '401 unauthorized',
  '404 collection_not_found',
  '408 body_timeout',
  '502 retriever_bad_response',
  '502 llm_bad_response',
  '503 retriever_unavailable',
  '503 retriever_misconfigured',
  '503 store_unavailable',
  '503 lexicon_unreadable',
  '503 llm_unavailable',
  '503 llm_misconfigured',
  '503 overloaded',
  '504 retriever_timeout',
  '504 llm_timeout',
  '504 not_cached',
])

/** Reasons for which a write may fail. */
const DECLARED_OF_WRITING: ReadonlySet<string> = new Set([
  'collection_conflict',
  'store_unavailable',
  'document_not_found',
  'lexicon_unreadable',
])

interface Key {
  readonly token: string
  readonly id: string
  /** Time from which it is known to be revoked. */
  revokedMs: number
}

/** Runs steps under a seed. */
export async function simulate(seed: number, steps: readonly Step[]): Promise<Run> {
  const time = new VirtualTime(seed)
  const uninstall = install(time)
  const unhandled: unknown[] = []
  const onUnhandled = (thrown: unknown): void => void unhandled.push(thrown)
  process.on('unhandledRejection', onUnhandled)
  const { error, warn } = console
  console.error = console.warn = () => undefined
  try {
    return await new Simulation(seed, time, unhandled).run(steps)
  } finally {
    process.off('unhandledRejection', onUnhandled)
    Object.assign(console, { error, warn })
    uninstall()
  }
}

class Simulation {
  readonly #time: VirtualTime
  readonly #deployment: Deployment
  readonly #ledger: Ledger
  readonly #truth = new Truth()
  readonly #unhandled: unknown[]
  readonly #keys = new Map<string, Key>()
  readonly #purges: {
    readonly tenant: string
    readonly collection: string
    readonly beganMs: number
    doneMs: number
    epoch: number
  }[] = []
  /** What was asked, by its number. */
  readonly #asked = new Map<number, Extract<Step['happening'], { kind: 'asks' }>>()
  readonly #choices: {
    readonly tenant: string
    readonly collection: string
    readonly closed: boolean
    readonly beganMs: number
    /** Time from which it can have no further effect. */
    settledMs: number
    /** Time at which it was confirmed. */
    doneMs: number
  }[] = []
  readonly #violations: Violation[] = []
  readonly #outcomes = new Map<string, number>()
  #questions = 0
  #digest = 0

  constructor(seed: number, time: VirtualTime, unhandled: unknown[]) {
    this.#time = time
    this.#unhandled = unhandled
    const random = seededRandom(seed ^ 0x5eed)
    const of = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!
    this.#deployment = new Deployment(time, {
      scope: of(['tenant', 'principal']),
      log: of(['buffered', 'queue']),
      reranks: of(['no', 'cross-encoder', 'grade']),
      outageMs: of([0, 0, 20_000]),
      lexicons: of(['of each collection', 'none']),
      callsAtOnce: of([1, 50]),
    })
    this.#ledger = new Ledger(this.#deployment, (rule, detail) => this.#violated(rule, detail))
  }

  async run(steps: readonly Step[]): Promise<Run> {
    const time = this.#time
    const deployment = this.#deployment
    await this.#setUp()
    deployment.stormy = true
    for (const step of steps) {
      await time.passUntil(time.nowMs + step.afterMs)
      while (deployment.isolates.length < 2) deployment.start()
      const isolate = deployment.isolates[step.isolate % deployment.isolates.length]!
      const running = { isolate, random: seededRandom(step.seed), faulty: step.faulty }
      void this.#take(step, isolate, running)
      this.#check()
      if (this.#violations.length > 0) break
    }
    deployment.stormy = false
    await time.passUntil(time.nowMs + QUIET_MS)
    if (this.#violations.length === 0) await this.#allIsWell()
    this.#check()
    const run = {
      violations: [...this.#violations],
      questions: this.#questions,
      outcomes: new Map(this.#outcomes),
      faults: deployment.counts,
      digest: (this.#digest >>> 0).toString(16).padStart(8, '0'),
    }
    for (const signal of time.signals) signal.abort(OVER)
    await time.passUntil(time.nowMs)
    deployment.database.close()
    return run
  }

  #violated(rule: string, detail: string): void {
    this.#violations.push({ rule, detail, questions: this.#questions })
  }

  #check(): void {
    if (this.#unhandled.length > 0) this.#violated('nothing is unhandled', String((this.#unhandled[0] as Error).stack))
    const [shown] = this.#deployment.journal.shown
    if (shown !== undefined) this.#violated('a model reads its own tenant alone', shown)
    this.#ledger.check()
  }

  /** How much longer something may be visible that was made from a copy of some age. */
  #grace(copyMs: number, sinceMs: number): number {
    return copyMs + this.#deployment.setup.outageMs + this.#time.setBackSinceMs(sinceMs - copyMs) + 1
  }

  async #setUp(): Promise<void> {
    const isolate = this.#deployment.start()
    const running = { isolate, random: this.#time.random, faulty: 0 }
    for (const tenant of TENANTS) {
      for (let at = 0; at < PRINCIPALS_EACH; at++) {
        const made = await this.#await(
          runAs(running, () => isolate.keys.make({ tenant, name: `key ${at}`, scopes: ['ask'], expiresAtMs: null })),
        )
        this.#keys.set(`${tenant}/${at}`, { token: made.token, id: made.token.slice(0, 19), revokedMs: Infinity })
      }
      for (const collection of COLLECTIONS) {
        const ats = Array.from({ length: DOCUMENTS_EACH }, (_, at) => at)
        const named = ats.map((at) => ({ tenant, collection, at }))
        await this.#await(this.#write(isolate, running, ...named))
      }
    }
  }

  /** Advances time until something has settled. */
  async #await<Result>(promise: Promise<Result>): Promise<Result> {
    const state = { settled: false }
    const note = (): void => {
      state.settled = true
    }
    promise.then(note, note)
    for (let tries = 0; !state.settled && tries < 10_000; tries++) await this.#time.passUntil(this.#time.nowMs + 20)
    if (!state.settled) throw new Error('It does not end')
    return promise
  }

  async #take({ happening, seed }: Step, isolate: Isolate, running: Running): Promise<void> {
    switch (happening.kind) {
      case 'asks':
        return this.#ask(happening, isolate, running, seed)
      case 'writes':
        return void (await this.#write(isolate, running, happening.document))
      case 'removes':
        return void (await this.#remove(isolate, running, happening.document))
      case 'purges': {
        const { tenant, collection } = happening
        const purge = { tenant, collection, beganMs: this.#time.nowMs, doneMs: Infinity, epoch: Infinity }
        this.#purges.push(purge)
        await runAs(running, () => isolate.purges.purge([{ kind: 'collection', tenant, collection }])).then(
          (epoch) => void Object.assign(purge, { doneMs: this.#time.nowMs, epoch }),
          (thrown: unknown) => this.#declared('purging', thrown),
        )
        return
      }
      case 'chooses':
        return this.#choose(happening, isolate, running)
      case 'revokes': {
        const key = this.#keys.get(`${happening.tenant}/${happening.principal}`)!
        await runAs(running, () => isolate.keys.revoke(happening.tenant, key.id.slice(3))).then(
          // `false`: it was already revoked.
          () => void (key.revokedMs = Math.min(key.revokedMs, this.#time.nowMs)),
          (thrown: unknown) => this.#declared('revoking', thrown),
        )
        return
      }
      case 'dies':
        return this.#deployment.kill(isolate)
      case 'delivers': {
        const outside = { random: running.random, faulty: running.faulty }
        void runAs(outside, () => this.#deployment.count()).catch((thrown: unknown) =>
          this.#declared('counting', thrown),
        )
        return runAs(outside, () => this.#deployment.deliver(running.random))
      }
      case 'sets clocks':
        return this.#time.setClocks(happening.byMs)
    }
  }

  async #choose(
    { tenant, collection, closed }: Omit<Extract<Step['happening'], { kind: 'chooses' }>, 'kind'>,
    isolate: Isolate,
    running: Running,
  ): Promise<void> {
    const choice = { tenant, collection, closed, beganMs: this.#time.nowMs, settledMs: Infinity, doneMs: Infinity }
    this.#choices.push(choice)
    await runAs(running, () => isolate.collections.choosePolicy(tenant, collection, closed ? CLOSED.id : null)).then(
      () => {
        choice.doneMs = this.#time.nowMs
        choice.settledMs = choice.doneMs + REPEATED_MS
      },
      (thrown: unknown) => {
        choice.settledMs = this.#time.nowMs + SLOWEST_MS
        this.#declared('choosing', thrown)
      },
    )
  }

  /** Whether a collection's policy is certain to be the closed one, or the open one, since some time. */
  #isCertainly(closed: boolean, { tenant, about }: { tenant: string; about: DocumentName }, sinceMs: number): boolean {
    const choices = this.#choices.filter((one) => one.tenant === tenant && one.collection === about.collection)
    const last = choices.findLast((one) => one.closed === closed && one.doneMs <= sinceMs)
    if (last === undefined) return !closed && choices.every((one) => !one.closed)
    return choices.every((one) => one.closed === closed || one.settledMs <= last.beganMs)
  }

  #declared(what: string, thrown: unknown): void {
    const code = isRagGateError(thrown) ? thrown.code : ''
    // A failing index has its own error message here: it is a port of the test.
    const isPort = thrown instanceof Error && /^(?:index|embedder):/.test(thrown.message)
    if (!DECLARED_OF_WRITING.has(code) && !isPort)
      this.#violated('every failure is declared', `${what}: ${String(thrown)}`)
  }

  /** Writes documents of one collection. @returns whether they were confirmed */
  #write(isolate: Isolate, running: Running, ...documents: readonly DocumentName[]): Promise<boolean> {
    const written = documents.map((document) => ({ document, ...this.#truth.write(document, this.#time.nowMs) }))
    const { tenant, collection } = documents[0]!
    const texts = written.map(({ document: { at }, text }) => ({
      id: `d${at}`,
      text,
      format: 'text' as const,
      title: `Document ${at}`,
    }))
    return this.#written(written, () =>
      runAs(running, () => ingestDocuments(isolate.ingest, tenant, collection, texts)).then((ingested) =>
        ingested.documents.every(({ status }) => status !== 'failed'),
      ),
    )
  }

  #remove(isolate: Isolate, running: Running, document: DocumentName): Promise<boolean> {
    const writing = this.#truth.remove(document, this.#time.nowMs)
    const { tenant, collection, at } = document
    return this.#written([{ document, writing }], () =>
      runAs(running, () => removeDocuments(isolate.ingest, tenant, collection, [`d${at}`])).then(() => true),
    )
  }

  async #written(
    writings: readonly { readonly document: DocumentName; readonly writing: Writing }[],
    work: () => Promise<boolean>,
  ): Promise<boolean> {
    try {
      if (await work()) {
        for (const { document, writing } of writings) this.#truth.confirm(document, writing, this.#time.nowMs)
        return true
      }
    } catch (thrown) {
      this.#declared('writing', thrown)
    }
    // Writes in progress may still arrive.
    for (const { writing } of writings) writing.settledMs = this.#time.nowMs + SLOWEST_MS
    return false
  }

  async #ask(
    asked: Extract<Step['happening'], { kind: 'asks' }>,
    isolate: Isolate,
    running: Running,
    seed: number,
  ): Promise<void> {
    const number = ++this.#questions
    this.#asked.set(number, asked)
    const time = this.#time
    const key = this.#keys.get(`${asked.tenant}/${asked.principal}`)!
    const { client, header, path, about } = asked
    const beganMs = time.nowMs
    const controller = new AbortController()
    time.signals.add(controller)
    const token = client === 'wrong key' ? `${key.token.slice(0, -1)}${key.token.endsWith('a') ? 'b' : 'a'}` : key.token
    const text = JSON.stringify({ question: questionOf(asked.tenant, about, asked.fact), collection: about.collection })
    const body =
      client === 'sends half' ? text.slice(0, text.length / 2) : client === 'hangs halfway' ? halfOf(text) : text
    const request = new Request(`https://gate.example${path}`, {
      method: 'POST',
      body,
      signal: controller.signal,
      headers: {
        'content-type': 'application/json',
        'x-began': String(beganMs),
        'x-asked': String(number),
        ...(client !== 'no key' && { authorization: `Bearer ${token}` }),
        ...(header && { 'cache-control': header }),
      },
      ...(client === 'hangs halfway' && { duplex: 'half' }),
    })
    const random = seededRandom(seed)
    let [left, done] = [false, false]
    const waited: Promise<unknown>[] = []
    if (client === 'leaves') {
      // Other servers let the request continue; workerd reports it only on demand.
      const [isCancelled, isTold] = [random() < 2 / 3, random() < 1 / 2]
      // At once, or while something is pending.
      time.after(random() * (random() < 1 / 2 ? 200 : 3000), undefined, () => {
        left = true
        if (isCancelled && waited.length === 0 && !done) {
          this.#deployment.cancel(running)
          this.#count('left, cancelled')
        }
        if (isTold || !isCancelled) controller.abort()
      })
    }
    // The part of an execution context that Hono uses.
    const context = {
      waitUntil: (work: Promise<unknown>) => void waited.push(work),
      passThroughOnException: () => undefined,
      props: {},
    }
    const answered = runAs(running, async () => isolate.app.fetch(request, {}, context as never))
    time.after(ANSWERED_WITHIN_MS, undefined, () => {
      if (!done && isolate.alive && !left) this.#violated('every question is answered in time', JSON.stringify(asked))
    })
    const response = await answered
    // A client that left reads nothing.
    const content = left ? '' : await readFrom(response, client === 'stops reading').catch(() => undefined)
    done = true
    const { status } = response
    // A stream that breaks off lacks its end; such JSON cannot be parsed.
    const isWhole = content?.startsWith('{') === true || content?.includes('[DONE]') === true
    const isIdle = isolate.calledMs + LONGEST_REQUEST_MS + this.#time.setBackSinceMs(isolate.calledMs) < beganMs
    if (content?.includes('"overloaded"') === true && isIdle)
      this.#violated('nothing is held', `the model is called by nobody: ${JSON.stringify(asked)}`)
    const field = response.headers.get('rag-gate') ?? ''
    this.#ledger.answered({
      isolate,
      running,
      tenant: asked.tenant,
      collection: about.collection,
      field,
      isRecordedAs: (recorded) =>
        left || client === 'stops reading' || (isWhole ? recorded === status : recorded >= 500),
      atMs: time.nowMs,
      told: () => `${JSON.stringify(asked)} at ${beganMs}: ${status}`,
    })
    if (left) this.#count(status === 499 ? `left, ${field === '' ? 'no decision' : 'decided'}` : 'left, answered')
    else this.#judge(asked, number, key, beganMs, response, content)
  }

  #count(outcome: string): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1)
  }

  #judge(
    asked: Extract<Step['happening'], { kind: 'asks' }>,
    number: number,
    key: Key,
    beganMs: number,
    response: Response,
    content: string | undefined,
  ): void {
    const { about, tenant, client } = asked
    const { journal } = this.#deployment
    const told = `${JSON.stringify(asked)} at ${beganMs}: ${response.status} ${content ?? '(broke off)'}`
    const field = response.headers.get('rag-gate') ?? ''
    const cache = response.headers.get('cache-status') ?? ''
    const verdict = /^\w+/.exec(field)?.[0]
    const code = response.status === 200 ? '' : /"code":"(\w+)"/.exec(content ?? '')?.[1]
    const outcome =
      response.status === 200
        ? `${verdict} ${/hit|stale-if|collapsed(?!=)/.exec(cache)?.[0] ?? 'made'}`
        : `${response.status} ${code}`
    this.#count(outcome)
    // Decisions and answers, digested in the order of events.
    for (const character of `${outcome}${beganMs}${content?.length ?? -1}`)
      this.#digest = Math.imul(this.#digest ^ character.charCodeAt(0), 0x01000193)

    if (response.status !== 200 && !DECLARED.has(outcome)) return this.#violated('every response is declared', told)
    // A key that is wrong, or was revoked longer ago than any copy lives, gives no access.
    const revoked = key.revokedMs + this.#grace(COPY_MS, key.revokedMs) < beganMs
    if ((client === 'wrong key' || client === 'no key' || revoked) && ![401, 408, 503, 400].includes(response.status))
      return this.#violated('a key that is none opens nothing', told)
    if (response.status !== 200) return
    for (const mark of marksIn(content ?? '')) {
      if (mark.tenant !== tenant) return this.#violated('no text of another tenant', told)
      if (mark.collection !== about.collection) return this.#violated('no text of another collection', told)
      const untilMs = this.#truth.untilMs(mark)
      if (untilMs === undefined) return this.#violated('no text that was not written', told)
      if (untilMs + this.#grace(COPY_MS, untilMs) < beganMs)
        return this.#violated('no evidence that is gone', `${told} gone at ${untilMs}`)
    }
    const id = idIn(field)
    if (id === undefined) return this.#violated('every response is declared', told)
    if (verdict === 'refuse') return this.#judgeRefusal(asked, beganMs, content ?? '', cache, told, id)
    if (about.tenant !== tenant) return this.#violated('no pass without evidence', told)
    if (this.#isCertainly(true, asked, beganMs - this.#grace(COPY_MS, beganMs - COPY_MS)))
      return this.#violated('no pass under another policy', told)
    const nonce = /nonce\d+z/.exec(content ?? '')?.[0]
    // A stream that breaks off loses what its reader had not yet read, and ends with the reason.
    if (nonce === undefined && ['502', '503', '504'].some((status) => DECLARED.has(`${status} ${errorAtEnd(content)}`)))
      return
    if (nonce === undefined)
      return content === undefined || client === 'stops reading'
        ? undefined
        : this.#violated('an answer is one that was made', told)
    const made = journal.made.get(nonce)!
    if (made.tenant !== tenant) return this.#violated('no answer of another tenant', told)
    if (this.#deployment.setup.scope === 'principal' && made.principal !== key.id)
      return this.#violated('no answer of another principal', told)
    const { header } = asked
    if (made.asked === number)
      return header === 'only-if-cached' ? this.#violated('no answer that the caller ruled out', told) : undefined
    const other = this.#asked.get(made.asked)!
    const [here, there] = [asked, other].map((each) => questionOf(each.tenant, each.about, each.fact))
    if (here !== there) return this.#violated('no answer to another question', told)
    const isOld = beganMs - made.beganMs > 6000 + this.#time.setBackSinceMs(made.beganMs)
    const isHit = cache.includes('hit')
    if (other.header === 'no-store' || header === 'no-cache' || (header === 'max-age=5' && isHit && isOld))
      return this.#violated('no answer that the caller ruled out', `${told} made at ${made.beganMs}`)
    // For followers of an answer in progress it breaks off too, and they are told.
    if (isHit && content?.includes(END_OF_ANSWER) === false && client !== 'stops reading')
      return this.#violated('no answer that was cut is sent again', told)
    const mostS = longestLifeS(tenant) + (isHit ? 0 : STALE_S)
    const mostMs = mostS * 1000 + this.#time.setBackSinceMs(made.beganMs) + 25_000
    if (beganMs - made.beganMs > mostMs)
      return this.#violated('no answer beyond its life', `${told} made at ${made.beganMs}`)
    for (const purge of this.#purges) {
      const { doneMs } = purge
      if (purge.tenant !== tenant || purge.collection !== about.collection) continue
      if (made.beganMs >= purge.beganMs || made.knewEpoch >= purge.epoch) continue
      if (doneMs + PURGE_COPY_MS + this.#time.setBackSinceMs(doneMs - PURGE_COPY_MS) + 1 < beganMs)
        return this.#violated('no answer that was purged', `${told} made at ${made.beganMs}, purged at ${doneMs}`)
    }
  }

  /** Checks the form of a refusal. */
  #judgeRefusal(
    asked: Extract<Step['happening'], { kind: 'asks' }>,
    beganMs: number,
    content: string,
    cache: string,
    told: string,
    eventId: string,
  ): void {
    const id = /"decision_id":"([^"]+)"/.exec(content)?.[1] ?? ''
    // If its document has been there for longer than any copy, there is evidence.
    const sinceMs = beganMs - this.#grace(COPY_MS, beganMs - COPY_MS) - refusalLifeS(asked.tenant) * 1000 - SLOWEST_MS
    const isAnswered = asked.about.tenant === asked.tenant && this.#truth.stands(asked.about, sinceMs)
    if (asked.tenant !== 'initech' && isAnswered && this.#isCertainly(false, asked, sinceMs))
      return this.#violated('a failure is no refusal', told)
    // A stored answer has its own event.
    if (id === eventId) {
      this.#deployment.journal.decided.set(id, beganMs)
      return
    }
    const decidedMs = this.#deployment.journal.decided.get(id)
    if (decidedMs === undefined) return
    const mostS = refusalLifeS(asked.tenant) + (cache.includes('hit') ? 0 : STALE_S)
    const mostMs = mostS * 1000 + this.#time.setBackSinceMs(decidedMs) + 25_000
    if (beganMs - decidedMs > mostMs) this.#violated('no refusal beyond its life', told)
  }

  /** After the faults: everything is counted, nothing is pending, and every question is answered again. */
  async #allIsWell(): Promise<void> {
    const deployment = this.#deployment
    const time = this.#time
    while (deployment.isolates.length < 2) deployment.start()
    for (const tenant of TENANTS) {
      for (const collection of COLLECTIONS) {
        const document = { tenant, collection, at: 0 } as const
        const [isolate] = deployment.isolates
        const running = { isolate: isolate!, random: seededRandom(1), faulty: 0 }
        await this.#await(this.#choose({ tenant, collection, closed: false }, isolate!, running))
        if (!(await this.#await(this.#write(isolate!, running, document))))
          return this.#violated('all is well again', `${tenant} cannot write`)
        await time.passUntil(time.nowMs + COPY_MS + 1)
        for (const each of deployment.isolates) {
          const made = await this.#await(
            runAs({ ...running, isolate: each }, () =>
              each.keys.make({ tenant, name: 'later', scopes: ['ask'], expiresAtMs: null }),
            ),
          )
          for (let fact = 0; fact < 3; fact++) {
            const response = await this.#await(
              runAs({ ...running, isolate: each }, async () =>
                each.app.fetch(
                  new Request('https://gate.example/ask', {
                    method: 'POST',
                    headers: {
                      authorization: `Bearer ${made.token}`,
                      'content-type': 'application/json',
                      'x-began': String(time.nowMs),
                    },
                    body: JSON.stringify({ question: questionOf(tenant, document, fact), collection }),
                  }),
                ),
              ),
            )
            const text = await response.text()
            const newest = marksIn(text).some(({ at }) => at === 0)
            if (response.status !== 200 || !newest)
              return this.#violated('all is well again', `${tenant} ${fact}: ${response.status} ${text}`)
          }
        }
      }
    }
    await this.#ledger.allIsCounted((promise) => this.#await(promise))
    if (this.#violations.length > 0) return
    // Only copies of timers of long finished requests may be left.
    await time.passUntil(time.nowMs + QUIET_MS)
    if (deployment.flightsAloft > 0) this.#violated('nothing is held', `${deployment.flightsAloft} flights`)
    if (time.waiting > 0) this.#violated('nothing is held', `${time.waiting} timers`)
    const { results } = deployment.database.run({ sql: 'SELECT count(*) AS left FROM unpublished_chunks', values: [] })
    const chunks = deployment.database.run({
      sql: 'SELECT sum(json_array_length(chunk_ids)) AS chunks FROM documents',
      values: [],
    })
    if (results[0]!['left'] === 0 && Number(chunks.results[0]!['chunks']) < deployment.services.indexed - 12 * SLACK)
      this.#violated('nothing is held', `${deployment.services.indexed} chunks in the index`)
  }
}

/** Late calls that may each have left the chunks of one document in the index. */
const SLACK = 40

/** A body that stalls in the middle. */
function halfOf(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text.slice(0, text.length / 2))),
  })
}

/** The body, or its beginning. @throws if it broke off */
async function readFrom(response: Response, stopsEarly: boolean): Promise<string> {
  if (!stopsEarly || response.body === null) return inOnePiece(await response.text())
  const reader = response.body.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return inOnePiece(new TextDecoder().decode(value))
}

/** Code of the event that ends a stream. */
function errorAtEnd(body: string | undefined): string | undefined {
  return /event: error\ndata: .*"code":"(\w+)"[^\n]*\s*$/.exec(body ?? '')?.[1]
}

/** The text of a stream, regardless of its pieces. */
function inOnePiece(body: string): string {
  if (!body.startsWith('data:')) return body
  return [...body.matchAll(/"content":"([^"]*)"|\[DONE\]/g)].map(([whole, piece]) => piece ?? whole).join('')
}
