/** Answers a question without HTTP: gating, generation, judging, caching and recording. */
import { balanced } from 'hono-rag-gate/balanced'
import type { Evidence } from 'hono-rag-gate/core/evidence'
import { deadline, methods, required, requireOptions } from 'hono-rag-gate/core/lib'
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

/** A retriever and a generator are required; the rest are the dependencies of `ragGate`. */
export type AnswerPorts = AnswerWithoutHttpOptions['dependencies'] & { readonly generator: Generator }

/** Settings of `answerQuestion`: those of `ragGate` that do not need a request. */
export interface AnswerSettings extends Omit<AnswerWithoutHttpOptions, 'dependencies' | 'policy' | 'mode'> {
  /** @default balanced() */
  readonly policy?: AnswerWithoutHttpOptions['policy']
  /**
   * Deadline of the model call, milliseconds; 1 to 2,000,000,000.
   *
   * @default 30000
   */
  readonly generationTimeoutMs?: number
}

/** A question, its answer or refusal, and how it was decided. */
export interface AnsweredQuestion extends JudgedGeneration {
  readonly question: string
  /** The answer, or the text of the refusal; empty if the model failed. */
  readonly answer: string
  readonly refused: boolean
  /** Empty if the answer came from the cache. */
  readonly evidence: Evidence
  /** The policy that judged. */
  readonly policy: Policy
  /** Use of the answer cache; `bypass` without one. */
  readonly cache: CacheState
}

const NO_EVIDENCE: Evidence = { rankedBy: 'convex', chunks: [], kinds: [], dropped: 0 }

/**
 * Makes a function that answers questions; settings are checked once.
 *
 * @throws `config_invalid`, `policy_invalid`, `cache_scope_required`
 */
export function createAnswerer(
  ports: AnswerPorts,
  settings: AnswerSettings = {},
): (asked: string | AskedWithoutHttp) => Promise<AnsweredQuestion> {
  // Untyped callers may pass nothing.
  const { generator, ...dependencies } = ports ?? {}
  const { policy = balanced(), generationTimeoutMs, ...others } = settings
  requireOptions<{ generator: Generator; generationTimeoutMs?: number | undefined }>(
    { generator, generationTimeoutMs },
    { generator: required(methods('generate')), generationTimeoutMs: deadline },
  )
  // The caller is the application itself, so it may name any collection.
  const question = { ...(dependencies.collections && { collections: 'any' as const }), ...others.question }
  const answer = answerWithoutHttp({ route: 'answer-question', ...others, question, policy, dependencies })
  return async function answerOne(given) {
    // Other types are passed on as a question, which the gate rejects.
    const asked: AskedWithoutHttp = typeof given === 'object' ? given : { question: given }
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
      const written = generation ?? (refused ? undefined : { text, complete: true })
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
      // A failure of the model becomes `fault`; everything else is thrown.
      if (seen === undefined || generation !== undefined) throw thrown
      const fault = isRagGateError(thrown) ? thrown.code : 'llm_unavailable'
      const { question, decision, evidence } = seen.gate
      const cache = dependencies.cache === undefined ? 'bypass' : 'miss'
      return { question, answer: '', refused: false, evidence, decision, policy: seen.policy, cache, fault }
    }
  }
}

/**
 * Answers a question, or refuses to. The model is called only if the evidence passes the gate, and its answer is
 * returned only if the gates for answers pass it. With `cache`, fresh answers are reused; with `log`, each decision is
 * recorded.
 *
 * @example const { answer, refused } = await answerQuestion({ retriever, generator }, 'How long is the warranty?')
 * @throws what `createAnswerer` throws; `invalid_unicode`, `control_character`, `question_required`, `question_type`;
 *   and the retriever's errors: a failed retrieval is never treated as missing evidence
 */
export async function answerQuestion(
  ports: AnswerPorts,
  asked: string | AskedWithoutHttp,
  settings: AnswerSettings = {},
): Promise<AnsweredQuestion> {
  return createAnswerer(ports, settings)(asked)
}
