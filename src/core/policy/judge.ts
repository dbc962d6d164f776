/** The second step of deciding: from signals to a verdict, before there is an answer. */
import { ENGINE_TEXTS, type EngineReason } from './engine-texts.ts'
import type { PolicyGate, GateInput } from '../gates/gate.ts'
import { strictest, isCode, isOutcome, type Stage, type Finding } from '../gates/finding.ts'
import { clamp01, recordedNumber, meets, RATIO_TOLERANCE } from '../lib/numbers.ts'
import { confidenceOf } from './confidence.ts'
import type { Judgement, Band } from './decision.ts'
import type { Signals } from '../signals/measure.ts'
import type { Signal } from '../signals/signal.ts'
import type { Policy, Bands } from './policy.ts'

/**
 * Judges signals under a policy, before there is an answer. Pure and synchronous, for new and recorded signals. The strictest
 * finding wins. Without evidence, or if every gate skips, every policy refuses. A policy whose gates all judge the answer
 * passes the question on to `judgeAnswer`.
 *
 * Gates about the question are also run without evidence, and do not count as having judged the evidence.
 *
 * @param textFindings findings that depend on texts: about the context, and of custom rules
 */
export function judge(policy: Policy, signals: Signals, textFindings: readonly Finding[] = []): Judgement {
  const evidence = hasEvidence(signals)
  const confidence = evidence ? confidenceOf(policy.confidence, signals) : 0
  const asked = gatesOf(policy, 'pre-generation').filter(({ gate }) => evidence || gate.about === 'question')
  const findings = askGates(asked, { signals, confidence })
  if (!evidence) return conclude(policy, [...findings, refusal('no_evidence')], 0)
  // A rule may add findings, but does not count as having judged the evidence.
  const isJudged = findings.some(({ outcome }) => outcome !== 'skip')
  findings.push(...textFindings)
  if (!isJudged && asked.every(({ gate }) => gate.about === 'question') && judgesAnswers(policy)) {
    findings.push(JUDGED_WITH_ANSWER)
  } else if (!isJudged) findings.push(refusal('nothing_judged'))
  return conclude(policy, findings, confidence)
}

/**
 * Whether a gate refuses the question by its text alone, so that nothing needs to be retrieved.
 *
 * @param measure measures signals of the question, without any evidence
 */
export function refusesUnseen(policy: Policy, measure: (signals: readonly Signal[]) => Signals): boolean {
  const known = gatesOf(policy, 'pre-generation').filter(
    ({ gate, settings }) => gate.about === 'question' && gate.reads?.(settings).every(({ of }) => of === 'question'),
  )
  const signals = measure(known.flatMap(({ gate, settings }) => gate.reads?.(settings) ?? []))
  return askGates(known, { signals, confidence: 0 }).some(({ outcome }) => outcome === 'refuse')
}

export function hasEvidence({ chunkCount }: Signals): boolean {
  return recordedNumber(chunkCount) > 0
}

/** Whether a policy has gates that judge the answer. */
export function judgesAnswers(policy: Policy): boolean {
  return gatesOf(policy, 'post-generation').length > 0
}

const JUDGED_WITH_ANSWER: Finding = { ...refusal('judged_with_answer'), outcome: 'skip' }

/** The judgement from findings: the strictest wins. A non-finite confidence counts as 0. */
export function conclude(policy: Policy, found: readonly Finding[], confidence: number): Judgement {
  const usable = clamp01(recordedNumber(confidence))
  const known = found.map(asFinding)
  const disabled = policy.dangerouslyDisableGates
  const findings = disabled ? [GATE_DISABLED, ...known] : known
  const strict = strictest(findings.map(({ outcome }) => outcome))
  const first = findings.find(({ outcome }) => outcome === strict) ?? findings[0]
  return {
    verdict: disabled ? 'advise' : strict,
    confidence: usable,
    band: bandOf(policy.bands, usable),
    reason: disabled ? 'gate_disabled' : (first?.code ?? 'nothing_judged'),
    findings,
    policyId: policy.id,
    ...(policy.escalateRefusals && strict === 'refuse' && !disabled && { escalate: true }),
  }
}

/** Checks a finding, since an untyped gate or damaged record may contain anything: an invalid outcome or code refuses. */
function asFinding(finding: Finding): Finding {
  return isOutcome(finding.outcome) && isCode(finding.code)
    ? finding
    : { ...finding, outcome: 'refuse', code: 'rule_failed' }
}

const GATE_DISABLED: Finding = { ...refusal('gate_disabled', { gate: 'policy' }), outcome: 'advise' }

/** The band of a confidence, by its unrounded value. A value equal to a bound reaches it, with the gates' tolerance. */
export function bandOf(bands: Bands, confidence: number): Band {
  if (meets(confidence, bands.high, RATIO_TOLERANCE)) return 'high'
  if (meets(confidence, bands.medium, RATIO_TOLERANCE)) return 'medium'
  return meets(confidence, bands.low, RATIO_TOLERANCE) ? 'low' : 'very-low'
}

export function gatesOf(policy: Policy, stage: Stage): readonly PolicyGate[] {
  return policy.gates.filter(({ gate }) => gate.stage === stage)
}

export function askGates(gates: readonly PolicyGate[], input: GateInput): Finding[] {
  return gates.flatMap(({ gate, settings }) => {
    const found = gate.check(settings, input)
    return found ? [{ gate: gate.name, stage: gate.stage, ...found }] : []
  })
}

export function refusal(
  code: EngineReason,
  {
    message = ENGINE_TEXTS[code].reason,
    gate = 'evidence',
    stage = 'pre-generation',
  }: { readonly message?: string; readonly gate?: string; readonly stage?: Stage } = {},
): Finding {
  return { gate, stage, outcome: 'refuse', code, message }
}
