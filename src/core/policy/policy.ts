/** Policies: frozen decision settings, with an id that hashes everything that could change a decision. */
import { RagGateError } from '../../errors.ts'
import { type Gate, type GateSettings, type PolicyGate } from '../gates/gate.ts'
import { isCode, type ReasonCode } from '../gates/finding.ts'
import type { Signal } from '../signals/signal.ts'
import type { Language } from '../text/language.ts'
import type { Text } from '../gates/text.ts'
import { canonicalJson } from '../lib/canonical.ts'
import { frozenCopy } from '../lib/frozen-copy.ts'
import { isRecord } from '../lib/guards.ts'
import { anything, flag, number, object, oneOf, type OptionKinds, required, requireOptions } from '../lib/options.ts'
import type { Json } from '../lib/json.ts'
import { hex, sha256 } from '../lib/sha256.ts'
import type { ConfidenceSettings, PolicyConfidence } from './confidence.ts'
import { ENGINE_TEXTS } from './engine-texts.ts'
import { type CacheLifetimes, DEFAULT_LIFETIMES, validateLifetimes } from './lifetimes.ts'
import type { PolicyParts, Preset, Wording } from './preset.ts'

/** Lowest confidence of each band, 0..1, falling; below `low` is `very-low`. */
export interface Bands {
  readonly high: number
  readonly medium: number
  readonly low: number
}

/** Input of `definePolicy`. */
export interface PolicyInput {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string
  readonly confidence: PolicyConfidence
  readonly bands: Bands
  /** Gates in the order in which they are run; at least one. */
  readonly gates: readonly PolicyGate[]
  /**
   * Signals to record in addition to those that decide, so that other policies can be fitted and tried on the records.
   *
   * @default those of its preset
   */
  readonly records?: readonly Signal[]
  /** Language of questions and passages. @default none: words and punctuation of any script */
  readonly language?: Language
  /** @default six hours to a day for `high`, an hour to six for `medium`, five minutes to an hour for `low` */
  readonly cacheLifetimes?: CacheLifetimes
  /** Preset with further texts and reports. @default none */
  readonly preset?: Preset
  /** @default 'neutral' */
  readonly wording?: Wording
  /**
   * DANGEROUS: answers every question, whatever the gates find. Their findings are still recorded, every verdict is `advise`
   * with the reason `gate_disabled`, and no answer is stored. For comparisons on a test system.
   */
  readonly dangerouslyDisableGates?: true
  /** Marks every refusal for human review: sets `escalate` in the decision, the refusal and the rejection record. */
  readonly escalateRefusals?: true
}

/** Settings that are `true` or absent. */
type Flags = Pick<PolicyInput, 'dangerouslyDisableGates' | 'escalateRefusals'>

/** A frozen policy. */
export interface Policy extends PolicyInput {
  /** The signals that its gates and confidence read. A decision that lacks one of them cannot be judged again. */
  readonly reads: readonly Signal[]
  /** All signals that are measured: those that it reads, and those that are only recorded. */
  readonly signals: readonly Signal[]
  readonly cacheLifetimes: CacheLifetimes
  readonly wording: Wording
  /** Texts for all reason codes that it can give. */
  readonly texts: Readonly<Record<ReasonCode, Text>>
  /** `name@` and 16 hexadecimal characters of SHA-256 over the canonical JSON of its settings. */
  readonly id: string
}

/** A policy as plain data: it can be stored, compared, and resolved into a policy again. */
export interface PolicySettings extends Flags {
  readonly name: string
  readonly confidence: ConfidenceSettings
  readonly bands: Bands
  readonly gates: readonly GateSettings[]
  /** Name of its language; absent without one. */
  readonly language?: string
  readonly cacheLifetimes: CacheLifetimes
  /** Name of its preset; absent without one. */
  readonly preset?: string
  /** Absent for `neutral`. */
  readonly wording?: 'specification'
}

/** Checks of the plain members; the others are checked below. */
const SETTINGS: OptionKinds<PolicyInput> = {
  name: required({
    words: '1 to 40 of a-z, 0-9 and -',
    holds: (name) => typeof name === 'string' && /^[a-z0-9-]{1,40}$/.test(name),
  }),
  confidence: required(object),
  bands: required(object),
  gates: required({
    words: 'a list of one or more gates',
    holds: (gates) => Array.isArray(gates) && gates.length > 0,
  }),
  records: anything,
  language: anything,
  cacheLifetimes: anything,
  preset: anything,
  wording: oneOf('neutral', 'specification'),
  // A file may hold anything: a value other than `true` is an error, and must not disable the gates.
  dangerouslyDisableGates: flag,
  escalateRefusals: flag,
}

const LEVEL = required(number(0, 1))
const BANDS: OptionKinds<Bands> = { high: LEVEL, medium: LEVEL, low: LEVEL }

/**
 * Checks and freezes a policy, and computes its id: equal settings have equal ids, different settings different ones. An id
 * in the input is ignored.
 *
 * @throws `policy_invalid` naming the setting at fault
 */
export function definePolicy(input: PolicyInput): Policy {
  requireOptions<PolicyInput & Partial<Policy>>(
    input,
    { ...SETTINGS, id: anything, texts: anything, reads: anything, signals: anything },
    'policy_invalid',
  )
  const { name, confidence, bands, gates, language, preset, wording = 'neutral' } = input
  const { cacheLifetimes = DEFAULT_LIFETIMES, records = preset?.records ?? [] } = input
  validateBands(bands)
  if (typeof confidence.model?.confidence !== 'function') {
    throw invalid('confidence must be one such as logistic()', 'confidence')
  }
  confidence.model.validate(confidence.settings)
  validateLifetimes(cacheLifetimes)
  for (const each of gates) validateGate(each)
  if (language !== undefined && typeof language.stem !== 'function')
    throw invalid('language must be one such as english', 'language')
  const settings = policySettings({ ...input, cacheLifetimes, wording })
  // Settings are plain data by construction: numbers, strings, lists and records of them.
  const canonical = canonicalJson(settings as unknown as Json)
  const own = frozenCopy(JSON.parse(canonical) as PolicySettings)
  const reads = signalsRead(confidence, gates)
  return Object.freeze({
    name,
    confidence: Object.freeze({ model: confidence.model, settings: own.confidence }),
    reads,
    records,
    signals: named([...reads, ...records]),
    bands: own.bands,
    gates: Object.freeze(own.gates.map((each, at) => Object.freeze({ gate: gates[at]!.gate, settings: each }))),
    ...(language && { language }),
    cacheLifetimes: own.cacheLifetimes,
    wording,
    ...(preset && { preset }),
    ...flagsOf(input),
    texts: textsOf(gates, preset, wording),
    id: `${name}@${hex(sha256(canonical)).slice(0, 16)}`,
  })
}

/** Converts a policy to plain data. */
export function policySettings(policy: Omit<Policy, 'texts' | 'id' | 'reads' | 'signals'>): PolicySettings {
  const { name, confidence, bands, gates, language, cacheLifetimes, preset, wording } = policy
  return {
    name,
    confidence: confidence.settings,
    bands,
    gates: gates.map(({ settings }) => settings),
    ...(language && { language: language.name }),
    cacheLifetimes,
    ...(preset && { preset: preset.name }),
    ...(wording !== 'neutral' && { wording }),
    ...flagsOf(policy),
  }
}

/**
 * Restores a policy from the JSON of `policySettings`: gates, confidence model and language are looked up by name in the
 * given parts.
 *
 * @throws `policy_invalid` for a gate, confidence model, language or preset that no part contains, or settings that
 *   `definePolicy` rejects
 */
export function resolvePolicy(stored: unknown, parts: readonly (PolicyParts | Preset)[]): Policy {
  // The cast is safe because all members are checked, here and by `definePolicy`.
  const settings = stored as PolicySettings
  requireOptions<PolicyInput | PolicySettings>(settings, SETTINGS, 'policy_invalid')
  if (!Array.isArray(parts)) throw invalid('resolvePolicy needs a list of presets', 'parts')
  const { confidence, gates, preset: presetName, language: languageName, ...rest } = settings
  const model = parts
    .flatMap(({ confidenceModels }) => confidenceModels)
    .find(({ kind }): boolean => confidence.kind === kind)
  if (model === undefined) throw invalid('The confidence model of this policy is not known here', 'confidence')
  const language = parts.flatMap(({ languages = [] }) => languages).find((each) => each.name === languageName)
  if (languageName !== undefined && language === undefined) {
    throw invalid('The language of this policy is not known here', 'language')
  }
  const known = new Map(parts.flatMap((part) => part.gates).map((gate): [string, Gate] => [gate.name, gate]))
  const preset = parts.find(
    (part): part is Preset => presetName !== undefined && 'name' in part && part.name === presetName,
  )
  if (presetName !== undefined && preset === undefined) {
    throw invalid('The preset of this policy is not known here', 'preset')
  }
  return definePolicy({
    ...rest,
    confidence: { model, settings: confidence },
    gates: gates.map((each): PolicyGate => {
      const gate = isRecord(each) ? known.get(each.gate) : undefined
      if (gate === undefined) throw invalid('A gate of this policy is not known here', 'gates')
      return { gate, settings: each }
    }),
    ...(language && { language }),
    ...(preset && { preset }),
  })
}

function validateGate(each: PolicyGate): void {
  if (typeof each?.gate?.check !== 'function' || each.settings?.gate !== each.gate.name) {
    throw invalid('gates must be such as confidenceRange()', 'gates')
  }
  if (each.gate.stage === 'post-generation' && !each.gate.measure) {
    throw invalid('A gate of answers needs measure', 'gates')
  }
  each.gate.validate(each.settings)
}

function signalsRead({ model, settings }: PolicyConfidence, gates: readonly PolicyGate[]): readonly Signal[] {
  return named([...(model.reads?.(settings) ?? []), ...gates.flatMap((each) => each.gate.reads?.(each.settings) ?? [])])
}

/** Removes signals with a name that occurred before. */
function named(signals: readonly Signal[]): readonly Signal[] {
  return Object.freeze(signals.filter(({ name }, at) => signals.findIndex((other) => other.name === name) === at))
}

function textsOf(gates: readonly PolicyGate[], preset: Preset | undefined, wording: Wording): Policy['texts'] {
  const ofGates = gates.map(({ gate }) => gate.texts)
  const ofSpecification = wording === 'specification' ? preset?.specificationTexts : undefined
  const texts = Object.assign({}, ENGINE_TEXTS, ...ofGates, ofSpecification) as Record<ReasonCode, Text>
  if (!Object.keys(texts).every(isCode)) throw invalid('The codes of a gate may hold A-Z a-z 0-9 . _ - : /', 'gates')
  return Object.freeze(texts)
}

/** @throws `policy_invalid` when a level is outside 0..1, or they do not fall */
export function validateBands(bands: Bands): void {
  requireOptions(bands, BANDS, 'policy_invalid', 'bands')
  if (!(bands.high >= bands.medium && bands.medium >= bands.low)) {
    throw invalid('bands must fall from high to low', 'bands')
  }
}

function invalid(message: string, param: string): RagGateError {
  return new RagGateError('policy_invalid', message, { param })
}

function flagsOf({ dangerouslyDisableGates, escalateRefusals }: Flags): Flags {
  return { ...(dangerouslyDisableGates && { dangerouslyDisableGates }), ...(escalateRefusals && { escalateRefusals }) }
}
