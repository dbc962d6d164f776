/** Policies, and the second step of deciding: from numbers to a verdict. */
import { RagGateError } from '../../errors.ts'
import { canonicalJson } from '../lib/canonical.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { Json } from '../lib/json.ts'
import { type ConfidenceModel, confidenceOf, validateConfidenceModel } from './confidence.ts'
import { type Band, type Judgement } from './decision.ts'
import { type Finding, isOutcome, type Stage, strictest } from '../gates/finding.ts'
import { type CacheLifetimes, DEFAULT_LIFETIMES, validateLifetimes } from './lifetimes.ts'
import type { GateFinding, GateInput } from '../gates/gate.ts'
import { meets, RATIO_TOLERANCE, recordedFlag, recordedNumber } from '../lib/numbers.ts'
import { requireWithin } from '../gates/gate.ts'
import { gateFor, type GateSettings } from '../gates/index.ts'
import { type ReasonCode } from '../gates/finding.ts'
import type { Signals } from '../signals/measure.ts'
import { isRecord } from '../lib/guards.ts'
import { hex, sha256 } from '../lib/sha256.ts'

/** From which confidence on each band begins; what is under `low` is `very-low`. 0..1, falling. */
export interface Bands {
  readonly high: number
  readonly medium: number
  readonly low: number
}

/** What a policy is made from. */
export interface PolicyInput {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string
  readonly confidence: ConfidenceModel
  readonly bands: Bands
  /** In the order in which they are asked; at least one. */
  readonly gates: readonly GateSettings[]
  /** @default six hours to a day for `high`, an hour to six for `medium`, five minutes to an hour for `low` */
  readonly cacheLifetimes?: CacheLifetimes
  /**
   * DANGEROUS: every question is answered, whatever the gates find. They still judge and their findings are recorded;
   * every verdict is `advise` for the reason `gate_disabled`, and no answer is stored. For comparing on a test system.
   */
  readonly dangerouslyDisableGates?: true
  /** Every refusal asks for a person: `escalate` stands in the decision, the refusal and the rejection record. */
  readonly escalateRefusals?: true
}

/** Settings that are `true` or not there. */
const FLAGS = ['dangerouslyDisableGates', 'escalateRefusals'] as const

/** What a policy may say: a setting that would be passed over silently may be one that somebody relies on. */
const MEMBERS: ReadonlySet<string> = new Set(['id', 'name', 'confidence', 'bands', 'gates', 'cacheLifetimes', ...FLAGS])

/** A frozen rule for deciding. Plain data: it can be stored, compared, and read back with `definePolicy`. */
export interface Policy extends Required<Omit<PolicyInput, (typeof FLAGS)[number]>> {
  /** Present only on a policy that answers everything. */
  readonly dangerouslyDisableGates?: true
  /** Present only on a policy whose refusals ask for a person. */
  readonly escalateRefusals?: true
  /** `name@` and 16 hexadecimal characters of SHA-256 over the canonical JSON of everything else. */
  readonly id: string
}

/**
 * Checks and freezes a policy and gives it its id: the same settings always have the same id, other settings never.
 *
 * @throws `policy_invalid` naming the setting at fault
 */
export function definePolicy(input: PolicyInput): Policy {
  if (!isRecord(input)) throw invalid('A policy must be an object', 'policy')
  const unknown = Object.keys(input).find((member) => !MEMBERS.has(member))
  if (unknown !== undefined) throw invalid('A policy has a member that is not known here', unknown)
  const { name, confidence, bands, gates, cacheLifetimes = DEFAULT_LIFETIMES } = input
  if (typeof name !== 'string' || !/^[a-z0-9-]{1,40}$/.test(name)) {
    throw invalid('name must be 1 to 40 of a-z, 0-9 and -', 'name')
  }
  validateBands(bands)
  validateConfidenceModel(confidence)
  validateLifetimes(cacheLifetimes)
  if (!Array.isArray(gates) || gates.length === 0) throw invalid('A policy needs at least one gate', 'gates')
  for (const settings of gates) gateFor(settings).validate(settings)
  const content = {
    name,
    confidence,
    bands,
    gates,
    cacheLifetimes,
    ...flagsOf(input),
  }
  // Policies are plain data by construction: numbers, texts, lists and records of them.
  const canonical = canonicalJson(content as unknown as Json)
  return deepFreeze({
    ...(JSON.parse(canonical) as typeof content),
    id: `${name}@${hex(sha256(canonical)).slice(0, 16)}`,
  })
}

function validateBands(bands: Bands): void {
  if (!isRecord(bands)) throw invalid('bands must name high, medium and low', 'bands')
  for (const band of ['high', 'medium', 'low'] as const) requireWithin(`bands.${band}`, bands[band], 0, 1)
  if (!(bands.high >= bands.medium && bands.medium >= bands.low)) {
    throw invalid('bands must fall: high, medium, low', 'bands')
  }
}

function invalid(message: string, param: string): RagGateError {
  return new RagGateError('policy_invalid', message, { param })
}

function flagsOf(input: PolicyInput): Pick<PolicyInput, (typeof FLAGS)[number]> {
  const given = FLAGS.flatMap((flag) => {
    // Read from a file it may be anything: what is not plainly true must not disable, nor pass for a setting.
    const asked: unknown = input[flag]
    if (asked === undefined) return []
    if (asked === true) return [[flag, true]]
    throw invalid(`${flag} must be true or left out`, flag)
  })
  return Object.fromEntries(given)
}

/**
 * Judges signals under a policy, before there is an answer. Pure and synchronous; runs as well on recorded signals as on
 * fresh ones. The strictest finding wins. Without evidence, or when every gate skips, the verdict is a refusal whatever
 * the policy. A policy whose gates all judge the answer lets the question through for `judgeAnswer`.
 *
 * @param ruleFindings findings of custom rules that looked at texts
 */
export function judge(policy: Policy, signals: Signals, ruleFindings: readonly Finding[] = []): Judgement {
  if (!hasEvidence(signals)) {
    return conclude(policy, [refusal('no_evidence', 'No relevant information found in documents')], 0)
  }
  const confidence = confidenceOf(policy.confidence, signals)
  const asked = askGates(policy, 'pre-generation', { signals, confidence })
  const findings = [...asked, ...ruleFindings]
  // A rule may add to what the gates find, and never stand for them.
  if (asked.length === 0) findings.push({ ...JUDGED_WITH_ANSWER })
  else if (asked.every(({ outcome }) => outcome === 'skip')) {
    findings.push(refusal('nothing_judged', 'No gate could judge this evidence'))
  }
  return conclude(policy, findings, confidence)
}

function hasEvidence({ chunkCount }: Signals): boolean {
  return recordedNumber(chunkCount) > 0
}

/** What the first stage left: the judgement, and the signals that it rests on. */
export interface JudgedEvidence extends Pick<Judgement, 'findings' | 'policyId'> {
  readonly signals: Signals
}

/**
 * Judges an answer under the policy that let the question through: its gates for answers, in order, after the findings
 * of the first stage. The strictest finding of both stages wins. Pure and synchronous; runs as well on recorded signals.
 *
 * An answer that could not be read refuses, and so does one that every gate skips. A policy without gates for answers
 * leaves the judgement as it was.
 *
 * @param judged what `judge` said under this same policy, with its signals
 * @throws `policy_invalid` when it was judged under another policy
 */
export function judgeAnswer(policy: Policy, judged: JudgedEvidence, answer: AnswerSignals): Judgement {
  if (judged.policyId !== policy.id) {
    throw invalid('The evidence was judged under another policy', 'policyId')
  }
  const { signals } = judged
  const judges = judgesAnswers(policy)
  const confidence = confidenceOf(policy.confidence, signals, judges ? answer : undefined)
  const findings = judged.findings.filter(({ code, stage }) => code !== 'gate_disabled' && stage !== 'post-generation')
  if (judges) {
    findings.push(
      ...(recordedFlag(answer.readable)
        ? askGates(policy, 'post-generation', { signals, confidence, answer })
        : [refusal('answer_unreadable', 'The answer could not be read', 'answer', 'post-generation')]),
    )
  }
  if (findings.every(({ outcome }) => outcome === 'skip')) {
    findings.push(refusal('nothing_judged', 'No gate could judge this answer', 'answer', 'post-generation'))
  }
  return conclude(policy, findings, hasEvidence(signals) ? confidence : 0)
}

/** Whether a policy has gates that judge the answer. */
export function judgesAnswers(policy: Policy): boolean {
  return gatesOf(policy, 'post-generation').length > 0
}

/** Fields of a structured answer that the policy's gates look at. */
export function answerFields({ gates, confidence }: Policy): string[] {
  const named = [...gates, confidence].flatMap((each) =>
    'requiredFields' in each ? [...each.requiredFields, ...each.optionalFields] : [],
  )
  return [...new Set(named)]
}

const JUDGED_WITH_ANSWER: Finding = {
  gate: 'evidence',
  stage: 'pre-generation',
  outcome: 'skip',
  code: 'judged_with_answer',
  message: 'The evidence is judged together with the answer',
}

/** The strictest finding wins; what is not a finite confidence counts as none. */
function conclude(policy: Policy, found: readonly Finding[], confidence: number): Judgement {
  const usable = Number.isFinite(confidence) ? Math.min(1, Math.max(0, confidence)) : 0
  const known = found.map(withKnownOutcome)
  const findings = policy.dangerouslyDisableGates === true ? [GATE_DISABLED, ...known] : known
  const strict = strictest(findings.map(({ outcome }) => outcome))
  const disabled = policy.dangerouslyDisableGates === true
  const first = findings.find(({ outcome }) => outcome === strict) ?? findings[0]
  return {
    verdict: disabled ? 'advise' : strict,
    confidence: usable,
    band: bandOf(policy.bands, usable),
    reason: disabled ? 'gate_disabled' : (first?.code ?? 'nothing_judged'),
    findings,
    policyId: policy.id,
    ...(policy.escalateRefusals === true && strict === 'refuse' && !disabled ? { escalate: true as const } : {}),
  }
}

/** A rule without types, or a damaged record, may say anything: what is no outcome refuses. */
function withKnownOutcome(finding: Finding): Finding {
  return isOutcome(finding.outcome) ? finding : { ...finding, outcome: 'refuse', code: 'rule_failed' }
}

const GATE_DISABLED: Finding = {
  gate: 'policy',
  stage: 'pre-generation',
  outcome: 'advise',
  code: 'gate_disabled',
  message: 'DANGEROUS: the gates of this policy are disabled, every question is answered',
}

/** The band that a confidence falls in, by its unrounded value. Equality counts, with the tolerance of the gates. */
export function bandOf(bands: Bands, confidence: number): Band {
  if (meets(confidence, bands.high, RATIO_TOLERANCE)) return 'high'
  if (meets(confidence, bands.medium, RATIO_TOLERANCE)) return 'medium'
  return meets(confidence, bands.low, RATIO_TOLERANCE) ? 'low' : 'very-low'
}

function gatesOf(policy: Policy, stage: Stage): GateSettings[] {
  return policy.gates.filter((settings) => gateFor(settings).stage === stage)
}

function askGates(policy: Policy, stage: Stage, input: GateInput): Finding[] {
  return gatesOf(policy, stage).map((settings) => {
    const gate = gateFor(settings)
    const found: GateFinding<ReasonCode> = gate.check(settings, input)
    return { gate: gate.name, stage: gate.stage, ...found }
  })
}

function refusal(code: ReasonCode, message: string, gate = 'evidence', stage: Stage = 'pre-generation'): Finding {
  return { gate, stage, outcome: 'refuse', code, message }
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object') {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}
