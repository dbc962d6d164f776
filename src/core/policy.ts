/** Policies, and the second step of deciding: from numbers to a verdict. */
import { RagGateError } from '../errors.ts'
import { canonicalJson } from './canonical.ts'
import type { Json } from './chunk.ts'
import { type ConfidenceModel, confidenceOf, validateConfidenceModel } from './confidence.ts'
import { type Band, type Finding, type Judgement, strictest } from './decision.ts'
import { type CacheLifetimes, DEFAULT_LIFETIMES, validateLifetimes } from './freshness.ts'
import type { Gate, GateFinding } from './gates/gate.ts'
import { meets, RATIO_TOLERANCE, requireWithin } from './gates/gate.ts'
import { GATES, type GateSettings, type ReasonCode } from './gates/index.ts'
import type { Signals } from './measure.ts'
import { hex, sha256 } from './sha256.ts'

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
}

/** A frozen rule for deciding. Plain data: it can be stored, compared, and read back with `definePolicy`. */
export interface Policy extends Required<PolicyInput> {
  /** `name@` and 16 hexadecimal characters of SHA-256 over the canonical JSON of everything else. */
  readonly id: string
}

/**
 * Checks and freezes a policy and gives it its id: the same settings always have the same id, other settings never.
 *
 * @throws `policy_invalid` naming the setting at fault
 */
export function definePolicy(input: PolicyInput): Policy {
  const { name, confidence, bands, gates, cacheLifetimes = DEFAULT_LIFETIMES } = input
  if (!/^[a-z0-9-]{1,40}$/.test(name)) {
    throw new RagGateError('policy_invalid', 'name must be 1 to 40 of a-z, 0-9 and -', { param: 'name' })
  }
  for (const band of ['high', 'medium', 'low'] as const) requireWithin(`bands.${band}`, bands[band], 0, 1)
  if (!(bands.high >= bands.medium && bands.medium >= bands.low)) {
    throw new RagGateError('policy_invalid', 'bands must fall: high, medium, low', { param: 'bands' })
  }
  validateConfidenceModel(confidence)
  validateLifetimes(cacheLifetimes)
  if (gates.length === 0) {
    throw new RagGateError('policy_invalid', 'A policy needs at least one gate', { param: 'gates' })
  }
  for (const settings of gates) gateFor(settings).validate(settings)
  const content = { name, confidence, bands, gates, cacheLifetimes }
  // Policies are plain data by construction: numbers, texts, lists and records of them.
  const canonical = canonicalJson(content as unknown as Json)
  return deepFreeze({
    ...(JSON.parse(canonical) as typeof content),
    id: `${name}@${hex(sha256(canonical)).slice(0, 16)}`,
  })
}

/**
 * Judges signals under a policy. Pure and synchronous; runs as well on recorded signals as on fresh ones. The strictest
 * finding wins. Without evidence, or when every gate skips, the verdict is a refusal whatever the policy.
 *
 * @param ruleFindings findings of custom rules that looked at texts
 */
export function judge(policy: Policy, signals: Signals, ruleFindings: readonly Finding[] = []): Judgement {
  const confidence = confidenceOf(policy.confidence, signals)
  const usable = Number.isFinite(confidence) ? Math.min(1, Math.max(0, confidence)) : 0
  const findings =
    signals.chunkCount > 0
      ? [...policy.gates.map((settings) => askGate(settings, signals, confidence)), ...ruleFindings]
      : [refusal('no_evidence', 'No relevant information found in documents')]
  if (findings.every(({ outcome }) => outcome === 'skip')) {
    findings.push(refusal('nothing_judged', 'No gate could judge this evidence'))
  }
  const verdict = strictest(findings.map(({ outcome }) => outcome))
  return {
    verdict,
    confidence: signals.chunkCount > 0 ? usable : 0,
    band: bandOf(policy.bands, signals.chunkCount > 0 ? usable : 0),
    reason: findings.find(({ outcome }) => outcome === verdict)?.code ?? 'nothing_judged',
    findings,
    policyId: policy.id,
  }
}

/** The band that a confidence falls in, by its unrounded value. Equality counts, with the tolerance of the gates. */
export function bandOf(bands: Bands, confidence: number): Band {
  if (meets(confidence, bands.high, RATIO_TOLERANCE)) return 'high'
  if (meets(confidence, bands.medium, RATIO_TOLERANCE)) return 'medium'
  return meets(confidence, bands.low, RATIO_TOLERANCE) ? 'low' : 'very-low'
}

function gateFor(settings: GateSettings): Gate<GateSettings, ReasonCode> {
  if (!Object.hasOwn(GATES, settings.gate)) {
    throw new RagGateError('policy_invalid', 'A gate of this policy is not known here', { param: 'gates' })
  }
  // A gate is listed under the name that its own settings carry, so it takes these settings.
  return GATES[settings.gate] as unknown as Gate<GateSettings, ReasonCode>
}

function askGate(settings: GateSettings, signals: Signals, confidence: number): Finding {
  const gate = gateFor(settings)
  const found: GateFinding<ReasonCode> = gate.check(settings, { signals, confidence })
  return { gate: gate.name, stage: gate.stage, ...found }
}

function refusal(code: ReasonCode, message: string): Finding {
  return { gate: 'evidence', stage: 'pre-generation', outcome: 'refuse', code, message }
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object') {
    for (const member of Object.values(value)) deepFreeze(member)
    Object.freeze(value)
  }
  return value
}
