/** An answer from evidence that is there already: judged before and after the model is asked. No HTTP. */
import type { Context } from '../core/evidence/context.ts'
import type { Decision } from '../core/policy/decision.ts'
import {
  type EvidenceAnswer,
  evidenceAnswer,
  generationError,
  refusedForEvidence,
} from '../core/reports/evidence-answer.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { type GenerationConfidenceSource, measureAnswer } from '../core/answer/measure-answer.ts'
import { EMPTY_LEXICON, type Lexicon } from '../core/text/lexicon.ts'
import { measure } from '../core/signals/measure.ts'
import { CAUTION } from '../core/reports/messages.ts'
import { answerFields, judge, judgeAnswer, type Policy } from '../core/policy/policy.ts'
import { isRagGateError, RagGateError } from '../errors.ts'
import type { Generation, Generator } from '../ports/generator.ts'
import { type ContextSettings, fitContext } from './fit-context.ts'

/** What is asked of the generator. */
export interface GenerationTask {
  /** Normalised. */
  readonly question: string
  readonly evidence: Evidence
  /** What the policy said of this evidence. */
  readonly decision: Decision
  /** The policy that said it. */
  readonly policy: Policy
  /** The context that the decision holds for, where `gateQuestion` made it. Without one it is made, and judged if cut. */
  readonly context?: Context
  /** The collection's lexicon, for judging a context that was cut. @default the lexicon of nothing */
  readonly lexicon?: Lexicon
}

/** Settings of `generateWithEvidence`. */
export interface GenerationSettings extends Partial<ContextSettings> {
  /** How long the model may take, milliseconds. @default 30000 */
  readonly generationTimeoutMs?: number
  /** Where the generator's report has the model's confidence. @default 'reported' */
  readonly generationConfidence?: GenerationConfidenceSource
}

/** What became of it, and the record behind it. */
export interface JudgedGeneration {
  readonly answer: EvidenceAnswer
  /** With the findings of both stages; as it was before when the model failed. */
  readonly decision: Decision
  /** Absent when no model was asked, or it failed. */
  readonly generation?: Generation
}

const MAX_CONTEXT_CHARACTERS = 12_000
const GENERATION_TIMEOUT_MS = 30_000

/**
 * Has an answer made from evidence, and judges it: a refusal before or after takes its place. Gating needs no mode for
 * debugging, and is switched off by nothing but a policy with `dangerouslyDisableGates`, which says so in its gating.
 *
 * @returns `generation_error` when the model failed or took too long: a failure is neither an answer nor a refusal
 * @throws `policy_invalid` when the evidence was judged under another policy
 * @see reference document 004, "Generator Integration"
 */
export async function generateWithEvidence(
  generator: Generator,
  task: GenerationTask,
  settings: GenerationSettings = {},
): Promise<JudgedGeneration> {
  const { question, policy } = task
  const { evidence, decision, context } = task.decision.verdict === 'refuse' ? task : contextOf(task, settings)
  const { chunks } = evidence
  if (decision.verdict === 'refuse' || context === undefined) {
    return { answer: refusedForEvidence(decision, chunks), decision }
  }
  const { generationTimeoutMs = GENERATION_TIMEOUT_MS } = settings
  const asked = { question, chunks: context.chunks, context: context.text, ...cautionFor(decision) }
  let generation: Generation
  try {
    generation = await within(generationTimeoutMs, (signal) => generator.generate({ ...asked, signal }))
  } catch (thrown) {
    return { answer: generationError(decision, isRagGateError(thrown) ? thrown.code : 'llm_unavailable'), decision }
  }
  const answerSignals = measureAnswer({
    question,
    // What no model could read supports nothing, and cannot be cited.
    chunks: context.chunks,
    answer: generation.text,
    ...(generation.report === undefined ? {} : { report: generation.report }),
    ...(settings.generationConfidence === undefined
      ? {}
      : { generationConfidenceSource: settings.generationConfidence }),
    fields: answerFields(policy),
  })
  const judged: Decision = { ...decision, answerSignals, ...judgeAnswer(policy, decision, answerSignals) }
  return { answer: evidenceAnswer(judged, chunks, generation.text), decision: judged, generation }
}

/** The context, and the decision that holds for it: a stricter one than was given where the budget cut support away. */
function contextOf(task: GenerationTask, settings: GenerationSettings): Omit<GenerationTask, 'question' | 'policy'> {
  const { question, decision, policy, context, lexicon = EMPTY_LEXICON } = task
  if (context !== undefined) return task
  const { maxContextCharacters = MAX_CONTEXT_CHARACTERS } = settings
  const judged = { signals: decision.signals, judgement: decision }
  const fitted = fitContext({ ...settings, maxContextCharacters }, task.evidence, judged, (evidence, about) => {
    const signals = measure(question, evidence, lexicon)
    return { signals, judgement: judge(policy, signals, [about]) }
  })
  const { evidence, signals, judgement } = fitted
  const evidenceIds = evidence.chunks.map(({ id }) => id)
  return judgement === decision
    ? { evidence, decision, context: fitted.context }
    : { evidence, decision: { ...decision, evidenceIds, signals, ...judgement }, context: fitted.context }
}

function cautionFor({ verdict }: Decision): { readonly caution?: string } {
  return verdict === 'advise' ? { caution: CAUTION } : {}
}

/** Waits no longer than this, also for a generator that ignores its signal. */
async function within<Result>(timeoutMs: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new RagGateError('llm_timeout', 'The model took too long'))
      controller.abort()
    }, timeoutMs)
  })
  try {
    return await Promise.race([work(controller.signal), expired])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}
