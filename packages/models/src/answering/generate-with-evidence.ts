/** An answer from evidence that is there already, judged before the model is asked and as the policy does after. No HTTP. */
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
export interface GenerationSettings {
  /** Budget of the context for the model. @default 12,000 characters */
  readonly context?: ContextBudget
  /** How long the model may take, milliseconds. @default 30000 */
  readonly generationTimeoutMs?: number
  /** Where the generator's report has the model's confidence. @default 'reported' */
  readonly generationConfidence?: GenerationConfidenceSource
}

/** What became of it. */
export interface JudgedGeneration {
  /** With the findings of both stages; as it was before when the model failed, or no gate of the policy judges answers. */
  readonly decision: Decision
  /** What the model wrote, also where it was refused afterwards. Absent when no model was asked, or it failed. */
  readonly generation?: Generation
  /** What went wrong with the model: a failure is neither an answer nor a refusal. */
  readonly fault?: RagGateErrorCode
}

const DEFAULT_CONTEXT: ContextBudget = { maxLength: 12_000 }
const GENERATION_TIMEOUT_MS = 30_000

/**
 * Has an answer made from evidence, and judges it where the policy judges answers: a refusal before or after takes its
 * place. Gating needs no mode for debugging, and is switched off by nothing but a policy with `dangerouslyDisableGates`,
 * which says so in its gating.
 *
 * @throws `policy_invalid`, before the model is asked, when the evidence was judged under another policy
 */
export async function generateWithEvidence(
  generator: Generator,
  task: GenerationTask,
  settings: GenerationSettings = {},
): Promise<JudgedGeneration> {
  const { question, policy } = task
  const { decision, context } = withContext(task, settings.context ?? DEFAULT_CONTEXT)
  if (decision.verdict === 'refuse') return { decision }
  if (task.decision.policyId !== policy.id) {
    throw new RagGateError('policy_invalid', 'The evidence was judged under another policy', { param: 'policyId' })
  }
  const { generationTimeoutMs = GENERATION_TIMEOUT_MS } = settings
  const request = { question, chunks: context.chunks, context: context.text, ...cautionFor(decision) }
  let generation: Generation
  try {
    generation = await generated(generator, request, generationTimeoutMs)
  } catch (thrown) {
    return { decision, fault: isRagGateError(thrown) ? thrown.code : 'llm_unavailable' }
  }
  const answerSignals = answerMeasure(policy)?.({
    question,
    // What no model could read supports nothing, and cannot be cited.
    chunks: context.chunks,
    answer: generation.text,
    ...(generation.report === undefined ? {} : { report: generation.report }),
    ...(settings.generationConfidence === undefined
      ? {}
      : { generationConfidenceSource: settings.generationConfidence }),
  })
  if (answerSignals === undefined) return { decision, generation }
  return { decision: { ...decision, answerSignals, ...judgeAnswer(policy, decision, answerSignals) }, generation }
}

/** The context, and the decision that holds for it: what the budget cut away is not judged. */
function withContext(
  { question, evidence, decision, policy, context, lexicon = EMPTY_LEXICON }: GenerationTask,
  settings: ContextBudget,
): { readonly decision: Decision; readonly context: Context } {
  if (context !== undefined) return { decision, context }
  const fitted = fitContext(settings, evidence)
  if (fitted.findings.length === 0 || decision.verdict === 'refuse') return { decision, context: fitted.context }
  const { chunks } = fitted.evidence
  const signals = measure(policy, { question, evidence: fitted.evidence, lexicon })
  // What was found in texts stands: the question is the same, and the rules are not here to be asked again.
  const said = decision.findings.filter((finding) => isOfTexts(finding) && finding.gate !== CONTEXT)
  const judgement = judge(policy, signals, [...said, ...fitted.findings])
  const evidenceIds = chunks.map(({ id }) => id)
  const documentIds = [...new Set(chunks.map(({ documentId }) => documentId))]
  return { decision: { ...decision, evidenceIds, documentIds, signals, ...judgement }, context: fitted.context }
}

function cautionFor({ verdict }: Decision): { readonly caution?: string } {
  return verdict === 'advise' ? { caution: CAUTION_FOR_MODEL } : {}
}
