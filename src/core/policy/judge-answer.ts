/** The second stage: from signals of the answer to a verdict. */
import { RagGateError } from '../../errors.ts'
import type { AnswerInput } from '../answer/answer-input.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import { recordedFlag } from '../lib/numbers.ts'
import type { Signals } from '../signals/measure.ts'
import { confidenceOf } from './confidence.ts'
import type { Judgement } from './decision.ts'
import { askGates, conclude, gatesOf, hasEvidence, judgesAnswers, refusal } from './judge.ts'
import type { Policy } from './policy.ts'

/** Result of the first stage: the judgement, and its signals. */
export interface JudgedEvidence extends Pick<Judgement, 'findings' | 'policyId'> {
  readonly signals: Signals
}

const OF_ANSWER = { gate: 'answer', stage: 'post-generation' } as const

/**
 * Judges an answer by the gates for answers of the policy that judged the question. Their findings follow those of the first
 * stage, and the strictest of both wins. Pure and synchronous, also for recorded signals.
 *
 * An unreadable answer is refused, unless every gate can judge unreadable answers; so is one that every gate skips. A policy
 * without gates for answers leaves the judgement unchanged.
 *
 * @param judged result of `judge` under the same policy, with its signals
 * @param isWhole whether the answer is complete; one that broke off or was too large is refused
 * @throws `policy_invalid` when the question was judged under another policy
 */
export function judgeAnswer(policy: Policy, judged: JudgedEvidence, answer: AnswerSignals, isWhole = true): Judgement {
  if (judged.policyId !== policy.id) {
    throw new RagGateError('policy_invalid', 'The evidence was judged under another policy', { param: 'policyId' })
  }
  const { signals } = judged
  const judges = judgesAnswers(policy)
  const confidence = confidenceOf(policy.confidence, signals, judges ? answer : undefined)
  const findings = judged.findings.filter(({ code, stage }) => code !== 'gate_disabled' && stage !== 'post-generation')
  if (judges) {
    findings.push(
      ...(isWhole && (recordedFlag(answer.readable) || judgesUnreadable(policy))
        ? askGates(gatesOf(policy, 'post-generation'), { signals, confidence, answer })
        : [refusal('answer_unreadable', { message: 'The answer could not be read', ...OF_ANSWER })]),
    )
  }
  if (findings.every(({ outcome }) => outcome === 'skip')) {
    findings.push(refusal('nothing_judged', { message: 'No gate could judge this answer', ...OF_ANSWER }))
  }
  return conclude(policy, findings, hasEvidence(signals) ? confidence : 0)
}

/** The function that measures answers, from the gates that judge them; `undefined` if there are none. */
export function answerMeasure(
  policy: Policy,
): ((input: Omit<AnswerInput, 'fields' | 'language'>) => AnswerSignals) | undefined {
  const measure = gatesOf(policy, 'post-generation')[0]?.gate.measure
  return measure && ((input) => measure({ ...input, fields: answerFields(policy), language: policy.language }))
}

/** Sentences of an answer that the policy's gates refuse, verbatim. */
export function refusedSentences({ gates }: Policy, answer: string, signals: AnswerSignals): string[] {
  return gates.flatMap(({ gate, settings }) => gate.refusedSentences?.(settings, answer, signals) ?? [])
}

function judgesUnreadable(policy: Policy): boolean {
  return gatesOf(policy, 'post-generation').every(({ gate }) => gate.judgesUnreadable === true)
}

/** Fields of a structured answer that the policy's gates and confidence model read. */
export function answerFields({ gates, confidence: { model, settings } }: Policy): string[] {
  const ofGates = gates.flatMap((each) => each.gate.answerFields?.(each.settings) ?? [])
  return [...new Set([...ofGates, ...(model.answerFields?.(settings) ?? [])])]
}
