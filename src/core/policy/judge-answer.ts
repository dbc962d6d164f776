/** The second step of deciding again, after the answer: from numbers to a verdict. */
import { RagGateError } from '../../errors.ts'
import type { AnswerInput } from '../answer/answer-input.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import { recordedFlag } from '../lib/numbers.ts'
import type { Signals } from '../signals/measure.ts'
import { confidenceOf } from './confidence.ts'
import type { Judgement } from './decision.ts'
import { askGates, conclude, gatesOf, hasEvidence, judgesAnswers, refusal } from './judge.ts'
import type { Policy } from './policy.ts'

/** What the first stage left: the judgement, and the signals that it rests on. */
export interface JudgedEvidence extends Pick<Judgement, 'findings' | 'policyId'> {
  readonly signals: Signals
}

const OF_ANSWER = { gate: 'answer', stage: 'post-generation' } as const

/**
 * Judges an answer under the policy that let the question through: its gates for answers, in order, after the findings
 * of the first stage. The strictest finding of both stages wins. Pure and synchronous; runs as well on recorded signals.
 *
 * An answer that could not be read refuses, unless every gate can judge that; so does one that every gate skips. A policy without gates for answers
 * leaves the judgement as it was.
 *
 * @param judged what `judge` said under this same policy, with its signals
 * @param isWhole whether all of it came: one that broke off or was too large is refused
 * @throws `policy_invalid` when it was judged under another policy
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

/** How an answer is measured: as the gates bring it along that judge answers, and not at all where none does. */
export function answerMeasure(
  policy: Policy,
): ((input: Omit<AnswerInput, 'fields' | 'language'>) => AnswerSignals) | undefined {
  const measure = gatesOf(policy, 'post-generation')[0]?.gate.measure
  return measure && ((input) => measure({ ...input, fields: answerFields(policy), language: policy.language }))
}

/** Sentences of an answer that the gates of the policy refuse, as they stand there. */
export function refusedSentences({ gates }: Policy, answer: string, signals: AnswerSignals): string[] {
  return gates.flatMap(({ gate, settings }) => gate.refusedSentences?.(settings, answer, signals) ?? [])
}

function judgesUnreadable(policy: Policy): boolean {
  return gatesOf(policy, 'post-generation').every(({ gate }) => gate.judgesUnreadable === true)
}

/** Fields of a structured answer that the policy's gates and its confidence model look at. */
export function answerFields({ gates, confidence: { model, settings } }: Policy): string[] {
  const ofGates = gates.flatMap((each) => each.gate.answerFields?.(each.settings) ?? [])
  return [...new Set([...ofGates, ...(model.answerFields?.(settings) ?? [])])]
}
