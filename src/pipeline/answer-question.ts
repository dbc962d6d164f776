/** A question up to its answer: gated, generated, judged. No HTTP, and no answer cache. */
import type { Decision } from '../core/policy/decision.ts'
import type { EvidenceAnswer } from '../core/reports/evidence-answer.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { requireQuestion } from '../core/text/question.ts'
import { RagGateError } from '../errors.ts'
import type { Generation, Generator } from '../ports/generator.ts'
import { type AskedQuestion, type GatePorts, gateQuestion, type GateSettings } from './gate-question.ts'
import { generateWithEvidence, type GenerationSettings } from './generate-with-evidence.ts'

/** What answering needs. Answers are not cached here: that is the middleware's. */
export interface AnswerPorts extends Omit<GatePorts, 'cache'> {
  readonly generator: Generator
}

/** A question with everything that became of it. */
export interface AnsweredQuestion {
  readonly question: string
  /** In the statuses of document 004, full of figures: for operators. */
  readonly answer: EvidenceAnswer
  readonly decision: Decision
  readonly evidence: Evidence
  /** Absent when no model was asked, or it failed. */
  readonly generation?: Generation
}

/**
 * Answers a question, or refuses to. The model is asked only when the evidence is let through; its answer is given only
 * when that is let through too. In `observe` mode the gates of the settings still hold here: to watch is the
 * middleware's.
 *
 * @throws `invalid_unicode`, `control_character`, `question_required`; else what `gateQuestion` throws: a retrieval that failed is never an answer, nor missing evidence
 * @see reference document 004, "Pipeline Integration"
 */
export async function answerQuestion(
  { generator, ...ports }: AnswerPorts,
  settings: GateSettings & GenerationSettings,
  asked: AskedQuestion,
): Promise<AnsweredQuestion> {
  const question = requireQuestion(asked.question)
  const gated = await gateQuestion(ports, settings, { ...asked, question })
  // Without a cache there is nothing to serve from it.
  if (gated.kind === 'cached') throw new RagGateError('internal', 'There is no cache to answer from')
  const { evidence, decision, policy, context } = gated
  const made = await generateWithEvidence(generator, { question, evidence, decision, policy, context }, settings)
  return { question, evidence, ...made }
}
