/** Generates an answer from given evidence, and judges it by the policy's gates for answers. No HTTP. */
import {
  callable,
  deadline,
  group,
  number,
  oneOf,
  type OptionKinds,
  required,
  requireOptions,
} from 'hono-rag-gate/core/lib'
import { CAUTION_FOR_MODEL } from 'hono-rag-gate/core/reports'
import { fitContext } from 'hono-rag-gate/pipeline'
import { EMPTY_LEXICON, type Lexicon } from 'hono-rag-gate/core/text'
import {
  answerMeasure,
  CONTEXT,
  type Decision,
  isOfTexts,
  judge,
  judgeAnswer,
  measure,
  type Policy,
} from 'hono-rag-gate/core/policy'
import { isRagGateError, RagGateError, type RagGateErrorCode } from 'hono-rag-gate/errors'
import type { Generation, Generator } from '../generator.ts'
import { generated } from './generated.ts'
import type { GenerationConfidenceSource } from 'hono-rag-gate/core/answer'
import type { Context, ContextBudget, Evidence } from 'hono-rag-gate/core/evidence'

/** Input of `generateWithEvidence`. */
export interface GenerationTask {
  /** Normalised question. */
  readonly question: string
  readonly evidence: Evidence
  /** The decision on this evidence. */
  readonly decision: Decision
  /** The policy that decided. */
  readonly policy: Policy
  /** The decision's context, from `gateQuestion`. Otherwise it is made here, and judged if chunks were cut. */
  readonly context?: Context
  /** The collection's lexicon, for judging a cut context. @default the empty lexicon */
  readonly lexicon?: Lexicon
}

/** Settings of `generateWithEvidence`. */
export interface GenerationSettings {
  /** Budget of the context for the model. @default 12,000 characters */
  readonly context?: ContextBudget
  /** Deadline of the model call, milliseconds; 1 to 2,000,000,000. @default 30000 */
  readonly generationTimeoutMs?: number
  /** Source of the model's confidence in the generator's report. @default 'reported' */
  readonly generationConfidence?: GenerationConfidenceSource
}

/** A generated answer, judged. */
export interface JudgedGeneration {
  /** With the findings of both stages; unchanged if the model failed, or the policy has no gates for answers. */
  readonly decision: Decision
  /** The model's output, even if it was refused afterwards. Absent if the model was not called, or failed. */
  readonly generation?: Generation
  /** Error code of a failed model call, which is neither an answer nor a refusal. */
  readonly fault?: RagGateErrorCode
}

const SETTINGS: OptionKinds<GenerationSettings> = {
  context: group<ContextBudget>({ maxLength: required(number(0)), lengthOf: callable }),
  generationTimeoutMs: deadline,
  generationConfidence: oneOf('reported', 'token-log-probabilities'),
}

/**
 * Generates an answer from evidence, and judges it if the policy has gates for answers; a refusal before or after
 * replaces it. Gating is disabled only by a policy with `dangerouslyDisableGates`, which is reported in `gating`.
 *
 * @throws `config_invalid` for an invalid setting; `policy_invalid`, before the model is called, if another policy judged
 *   the evidence
 */
export async function generateWithEvidence(
  generator: Generator,
  task: GenerationTask,
  settings: GenerationSettings = {},
): Promise<JudgedGeneration> {
  requireOptions(settings, SETTINGS)
  const { context: budget = { maxLength: 12_000 }, generationTimeoutMs, generationConfidence: source } = settings
  const { question, policy } = task
  const { decision, context } = withContext(task, budget)
  if (decision.verdict === 'refuse') return { decision }
  if (task.decision.policyId !== policy.id) {
    throw new RagGateError('policy_invalid', 'The evidence was judged under another policy', { param: 'policyId' })
  }
  const request = { question, chunks: context.chunks, context: context.text, ...cautionFor(decision) }
  let generation: Generation
  try {
    generation = await generated(generator, request, generationTimeoutMs)
  } catch (thrown) {
    return { decision, fault: isRagGateError(thrown) ? thrown.code : 'llm_unavailable' }
  }
  const answerSignals = answerMeasure(policy)?.({
    question,
    // Only chunks in the context can support the answer and be cited.
    chunks: context.chunks,
    answer: generation.text,
    ...(generation.report === undefined ? {} : { report: generation.report }),
    ...(source === undefined ? {} : { generationConfidenceSource: source }),
  })
  if (answerSignals === undefined) return { decision, generation }
  return { decision: { ...decision, answerSignals, ...judgeAnswer(policy, decision, answerSignals) }, generation }
}

/** The context, and the decision on it: chunks that the budget cut off are not judged. */
function withContext(
  { question, evidence, decision, policy, context, lexicon = EMPTY_LEXICON }: GenerationTask,
  settings: ContextBudget,
): { readonly decision: Decision; readonly context: Context } {
  if (context !== undefined) return { decision, context }
  const fitted = fitContext(settings, evidence)
  if (fitted.findings.length === 0 || decision.verdict === 'refuse') return { decision, context: fitted.context }
  const { chunks } = fitted.evidence
  const signals = measure(policy, { question, evidence: fitted.evidence, lexicon })
  // Findings of text rules are kept: the question is the same, and the rules are not available here.
  const said = decision.findings.filter((finding) => isOfTexts(finding) && finding.gate !== CONTEXT)
  const judgement = judge(policy, signals, [...said, ...fitted.findings])
  const evidenceIds = chunks.map(({ id }) => id)
  const documentIds = [...new Set(chunks.map(({ documentId }) => documentId))]
  return { decision: { ...decision, evidenceIds, documentIds, signals, ...judgement }, context: fitted.context }
}

function cautionFor({ verdict }: Decision): { readonly caution?: string } {
  return verdict === 'advise' ? { caution: CAUTION_FOR_MODEL } : {}
}
