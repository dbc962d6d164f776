/** A question up to its answer: cached, gated, generated, judged, recorded. No HTTP. */
import { balanced } from 'hono-rag-gate/balanced'
import type { Evidence } from 'hono-rag-gate/core/evidence'
import { methods, number, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { CacheState, Policy } from 'hono-rag-gate/core/policy'
import { normaliseQuestion } from 'hono-rag-gate/core/text'
import { isRagGateError } from 'hono-rag-gate/errors'
import {
  type AskedWithoutHttp,
  answerWithoutHttp,
  type AnswerWithoutHttpOptions,
  type RagGateContext,
} from 'hono-rag-gate/middleware'
import type { Generation, Generator } from '../generator.ts'
import { generated } from './generated.ts'
import type { JudgedGeneration } from './generate-with-evidence.ts'

/** What answering needs: a retriever and a generator. The rest is as the dependencies of `ragGate`. */
export type AnswerPorts = AnswerWithoutHttpOptions['dependencies'] & { readonly generator: Generator }

/** Settings of `answerQuestion`: those of `ragGate` that need no request. */
export interface AnswerSettings extends Omit<AnswerWithoutHttpOptions, 'dependencies' | 'policy' | 'mode'> {
  /** @default balanced() */
  readonly policy?: AnswerWithoutHttpOptions['policy']
  /**
   * How long the model may take, milliseconds; 1 and up.
   *
   * @default 30000
   */
  readonly generationTimeoutMs?: number
}

/** A question with everything that became of it. */
export interface AnsweredQuestion extends JudgedGeneration {
  readonly question: string
  /** The answer; the refusal in its place; empty where the model failed. */
  readonly answer: string
  readonly refused: boolean
  /** Empty where the answer was stored before. */
  readonly evidence: Evidence
  /** The one that judged. */
  readonly policy: Policy
  /** How the answer cache took part: `bypass` without one. */
  readonly cache: CacheState
}

const GENERATION_TIMEOUT_MS = 30_000
const NO_EVIDENCE: Evidence = { rankedBy: 'convex', chunks: [], kinds: [], dropped: 0 }

/**
 * Makes what answers questions, for many of them: settings are checked once.
 *
 * @throws `config_invalid`, `policy_invalid`, `cache_scope_required`
 */
export function createAnswerer(
  ports: AnswerPorts,
  settings: AnswerSettings = {},
): (asked: string | AskedWithoutHttp) => Promise<AnsweredQuestion> {
  // A caller without types may give nothing.
  const { generator, ...dependencies } = ports ?? {}
  requireOptions<Pick<AnswerPorts, 'generator'>>({ generator }, { generator: required(methods('generate')) })
  const { policy = balanced(), generationTimeoutMs = GENERATION_TIMEOUT_MS, ...others } = settings
  requireOptions<Pick<AnswerSettings, 'generationTimeoutMs'>>(
    { generationTimeoutMs },
    { generationTimeoutMs: number(1) },
  )
  // The caller is the program itself: it may name any collection.
  const question = { ...(dependencies.collections && { collections: 'any' as const }), ...others.question }
  const answer = answerWithoutHttp({ route: 'answer-question', ...others, question, policy, dependencies })
  return async function answerOne(given) {
    // What is no question is refused as one.
    const asked: AskedWithoutHttp = typeof given === 'object' && given !== null ? given : { question: given }
    let seen: { readonly gate: RagGateContext; readonly policy: Policy } | undefined
    let generation: Generation | undefined
    try {
      const {
        body,
        decision,
        evidence = NO_EVIDENCE,
        ...how
      } = await answer(asked, async (gate, chosen) => {
        seen = { gate, policy: chosen }
        const { question, context, caution } = gate
        const request = { question, chunks: context.chunks, context: context.text, ...(caution && { caution }) }
        generation = await generated(generator, request, generationTimeoutMs)
        const { text, report, complete, model, usage } = generation
        return { ...report, answer: text, complete, ...(model && { model }), ...(usage && { usage }) }
      })
      const { answer: text, refused } = body
      const written = generation ?? (how.cache === 'bypass' || refused ? undefined : { text, complete: true })
      return {
        question: seen?.gate.question ?? normaliseQuestion(asked.question),
        answer: text,
        refused,
        evidence,
        decision,
        ...how,
        ...(written && { generation: written }),
      }
    } catch (thrown) {
      // A model that failed is told as a fact; everything else is an error.
      if (seen === undefined || generation !== undefined) throw thrown
      const fault = isRagGateError(thrown) ? thrown.code : 'llm_unavailable'
      const { question, decision, evidence } = seen.gate
      const cache = dependencies.cache === undefined ? 'bypass' : 'miss'
      return { question, answer: '', refused: false, evidence, decision, policy: seen.policy, cache, fault }
    }
  }
}

/**
 * Answers a question, or refuses to. The model is asked only when the evidence is let through; its answer is given only
 * when that is let through too. With `cache` an answer is given again while it is fresh, with `log` each decision is recorded.
 *
 * @example
 * const { answer, refused } = await answerQuestion({ retriever, generator }, 'How long is the warranty?')
 * @throws what `createAnswerer` throws; `invalid_unicode`, `control_character`, `question_required`, `question_type`; else
 *   what a retriever declares: a retrieval that failed is never an answer, nor missing evidence
 */
export async function answerQuestion(
  ports: AnswerPorts,
  asked: string | AskedWithoutHttp,
  settings: AnswerSettings = {},
): Promise<AnsweredQuestion> {
  return createAnswerer(ports, settings)(asked)
}
