/** One question on its way past the cache: where its answer is looked for, and where it may be kept. No HTTP. */
import type { Decision } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import { isRagGateError, RagGateError } from '../errors.ts'
import type { AssessedEvidence } from '../pipeline/assess-evidence.ts'
import type { QuestionPlace } from '../pipeline/find-place.ts'
import type { Failure, FoundAnswer, QuestionCache } from '../pipeline/question-cache.ts'
import type { KnownPurges } from '../ports/answer-purges.ts'
import type { CoalescedOutcome, Leader } from '../ports/coalescer.ts'
import type { CacheableQuestion, QuestionCacheParts } from './cacheable-question.ts'
import { joinOthers } from './coalesce.ts'
import { type AnswerKeys, answerKeys, keyOfEvidence } from './question-key.ts'
import { findStored, isOutage, isSendable, knownPurges, mayStandIn, type StoredAnswer } from './stored-answer.ts'

/** Where the answer to a question may be kept. */
export interface KeptUnder {
  readonly key: string
  /** Where else, once it is known by its evidence; absent for a refusal. */
  readonly evidenceKey?: string
  /** Latest purge known when the question came. */
  readonly purgeEpoch: number
}

/** What an answer is looked for under. */
interface Looked {
  readonly keys: AnswerKeys
  readonly purges: KnownPurges
  readonly place: QuestionPlace
}

/** Version of a collection that was published once, or never changes: its evidence finds no older answer to the same question. */
const FIRST_VERSION = 1

/** The part of the cache in one question. */
export class CachedQuestion implements QuestionCache {
  readonly #parts: QuestionCacheParts
  readonly #question: CacheableQuestion
  readonly #purging: Promise<KnownPurges | undefined> | undefined
  /** Absent until it was looked for, and where the cache has no part. */
  #sought: Looked | undefined
  /** The same, once the question is to be answered: what is refused for itself is kept under nothing. */
  #looked: Looked | undefined
  /** An answer past its lifetime, or not young enough for this caller. */
  #stored: StoredAnswer | null = null
  #leader: Leader | undefined
  #separate = false
  #evidenceKey: string | undefined
  #decision: Decision | undefined

  constructor(parts: QuestionCacheParts, question: CacheableQuestion) {
    this.#parts = parts
    this.#question = question
    const { use, request } = question
    // Read before anything is retrieved: what is purged while this question is answered reaches its answer too.
    this.#purging = use.read || use.store ? knownPurges(parts, request.principal.tenant) : undefined
  }

  async find(place: QuestionPlace): Promise<FoundAnswer | undefined> {
    const purges = await this.#purging
    if (purges === undefined) return undefined
    const keys = answerKeys(this.#parts, this.#question, place)
    this.#sought = { keys, purges, place }
    return this.#findUnder(keys.byQuestion, purges)
  }

  async join(): Promise<FoundAnswer | undefined> {
    this.#looked = this.#sought
    if (this.#question.use.only !== undefined) {
      throw new RagGateError('not_cached', 'There is no stored answer, and only a stored one was asked for')
    }
    return this.#looked && this.#waitForOthers(this.#looked.keys.byQuestion, this.#looked.purges)
  }

  async #findUnder(key: string, purges: KnownPurges): Promise<FoundAnswer | undefined> {
    const stored = await findStored(this.#parts, this.#question, purges, key)
    if (isSendable(stored, this.#question)) return foundAs('hit', stored)
    this.#stored = stored
    return undefined
  }

  async #waitForOthers(key: string, purges: KnownPurges): Promise<FoundAnswer | undefined> {
    const { answer, leader, separate } = await joinOthers(this.#parts, this.#question, purges, key)
    if (answer !== undefined) return foundAs('collapsed', answer)
    this.#leader = leader
    this.#separate = separate === true
    return undefined
  }

  async findByEvidence(assessed: AssessedEvidence, decision: Decision): Promise<FoundAnswer | undefined> {
    this.#decision = decision
    // An answer to what is refused is never stored, so it has no key by its evidence.
    if (this.#looked === undefined || assessed.judgement.verdict === 'refuse') return undefined
    const { keys, purges, place } = this.#looked
    const { stems } = this.#parts.settings
    this.#evidenceKey = await keyOfEvidence(keys.shared, assessed, stems)
    if (place.collection.corpusVersion === FIRST_VERSION && stems === undefined) return undefined
    const same = await findStored(this.#parts, this.#question, purges, this.#evidenceKey)
    return isSendable(same, this.#question) ? foundAs('evidence-hit', same) : undefined
  }

  standIn(failure: Failure): FoundAnswer | undefined {
    const stored = this.#stored
    if (!mayStandIn(stored, this.#parts.settings.staleIfErrorSeconds) || !isOutage(failure)) return undefined
    const { thrown, by } = failure
    const other = by === 'retriever' ? 'retriever_unavailable' : 'handler_failed'
    const what = by === 'retriever' ? 'The retriever failed' : `The handler answered ${failure.status}`
    this.#parts.ports.onWarning?.({
      code: isRagGateError(thrown) ? thrown.code : other,
      message: `${what}: an answer past its lifetime is sent`,
      ...(thrown === undefined ? {} : { cause: thrown }),
    })
    return foundAs('stale', stored)
  }

  /** Where the answer may be kept; `undefined` where it must not be. */
  get keptUnder(): KeptUnder | undefined {
    if (this.#looked === undefined || !this.#question.use.store) return undefined
    return {
      key: this.#looked.keys.byQuestion,
      ...(this.#evidenceKey === undefined ? {} : { evidenceKey: this.#evidenceKey }),
      purgeEpoch: this.#looked.purges.epoch,
    }
  }

  /** How the question was judged now, once it was. */
  get judged(): { readonly decision: Decision; readonly policy: Policy } | undefined {
    return this.#looked && this.#decision && { decision: this.#decision, policy: this.#looked.place.policy }
  }

  /** What became of the search: a stale answer was there, or none; or the cache had no part. */
  get missed(): 'miss' | 'stale' | 'bypass' {
    if (this.#looked === undefined || !this.#question.use.read) return 'bypass'
    return this.#stored === null ? 'miss' : 'stale'
  }

  /** Whether it had no share in the answer of somebody who asked the same. */
  get isSeparate(): boolean {
    return this.#separate
  }

  /** Whether others may wait for its answer. */
  get leads(): boolean {
    return this.#leader !== undefined
  }

  /** Tells those who wait how it ended; only the first time counts. It never rejects. */
  async complete(outcome: CoalescedOutcome): Promise<void> {
    const leader = this.#leader
    this.#leader = undefined
    try {
      await leader?.complete(outcome)
    } catch (cause) {
      const message = 'The coalescer failed: those who wait were not told how it ended'
      this.#parts.ports.onWarning?.({ code: 'coalescer_failed', message, cause })
    }
  }
}

function foundAs(kind: FoundAnswer['kind'], { answer, ageSeconds, residentSeconds }: StoredAnswer): FoundAnswer {
  return { kind, answer, ageSeconds, ttlSeconds: answer.lifetimeSeconds - residentSeconds }
}
