/** A question up to its answer: gated, generated, judged. No HTTP, and no answer cache. */
import type { Generator } from '../generator.ts'
import { generateWithEvidence } from './generate-with-evidence.ts'
import { RagGateError } from 'hono-rag-gate/errors'
import { gateQuestion, type QuestionPorts, type QuestionRequest, type QuestionSettings } from 'hono-rag-gate/pipeline'
import { requireQuestion } from 'hono-rag-gate/core/text'
import type { Policy } from 'hono-rag-gate/core/policy'
import type { Evidence } from 'hono-rag-gate/core/evidence'
import type { GenerationSettings, JudgedGeneration } from './generate-with-evidence.ts'

/** What answering needs. */
export interface AnswerPorts extends QuestionPorts {
  readonly generator: Generator
}

/** Settings of `answerQuestion`. */
export type AnswerSettings = QuestionSettings & Omit<GenerationSettings, 'context'>

/** A question with everything that became of it. */
export interface AnsweredQuestion extends JudgedGeneration {
  readonly question: string
  readonly evidence: Evidence
  /** The one that judged. */
  readonly policy: Policy
}

/**
 * Answers a question, or refuses to. The model is asked only when the evidence is let through; its answer is given only
 * when that is let through too. In `observe` mode the gates of the settings still hold here: to watch is the
 * middleware's.
 *
 * @throws `invalid_unicode`, `control_character`, `question_required`; else what `gateQuestion` throws: a retrieval that failed is never an answer, nor missing evidence
 */
export async function answerQuestion(
  { generator, ...ports }: AnswerPorts,
  settings: AnswerSettings,
  request: QuestionRequest,
): Promise<AnsweredQuestion> {
  const question = requireQuestion(request.question)
  const result = await gateQuestion(ports, settings, { ...request, question })
  // Without a cache there is nothing to serve from it.
  if (result.kind === 'cached') throw new RagGateError('internal', 'There is no cache to answer from')
  const { evidence, decision, policy, context } = result
  const made = await generateWithEvidence(generator, { question, evidence, decision, policy, context }, settings)
  return { question, evidence, policy, ...made }
}
