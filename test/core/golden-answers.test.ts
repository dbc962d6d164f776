import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  advisoryBadge,
  advisoryBanner,
  advisoryWarning,
  getAdvisoryFlag,
  readSelfReport,
  shouldUseAdvisory,
} from '../../src/core/advisory.ts'
import { calculateConfidence } from '../../src/core/advisory-factors.ts'
import { suggestThresholdChange } from '../../src/core/calibration/suggest-threshold-change.ts'
import type { Chunk } from '../../src/core/chunk.ts'
import type { Finding } from '../../src/core/decision.ts'
import { evidenceShare, largestShare } from '../../src/core/gates/evidence-share.ts'
import { evidenceGatingStats, gatingReport, insufficientEvidence } from '../../src/core/gating-report.ts'
import { measureAnswer } from '../../src/core/measure-answer.ts'
import { MESSAGES } from '../../src/core/messages.ts'
import { judge, judgeAnswer } from '../../src/core/policy.ts'
import { multiGate } from '../../src/core/profiles/multi-gate.ts'
import { sufficiency, sufficiencyThreshold } from '../../src/core/profiles/sufficiency.ts'
import { isRagGateError } from '../../src/errors.ts'
import { answerSignalsOf, aSentence } from '../fixtures/answer.ts'
import { aCurve, aPassage, signalsOf } from '../fixtures/evidence.ts'

/** Vectors beside the repository, where they are kept. */
function readGolden<Golden>(name: string): Golden | undefined {
  try {
    return JSON.parse(readFileSync(new URL(`../../../shared/golden/${name}.json`, import.meta.url), 'utf8')) as Golden
  } catch {
    return undefined
  }
}

type Figure = number | { readonly $f: string }
const numberOf = (figure: Figure): number => (typeof figure === 'object' ? Number(figure.$f) : figure)

/** What differs from its expectation, by id; nothing else may stand in the table, and nothing may be missing there. */
function compare<Vector>(
  vectors: readonly Vector[],
  idOf: (vector: Vector, at: number) => string,
  expectedOf: (vector: Vector) => unknown,
  foundFor: (vector: Vector) => unknown,
): { readonly differing: Readonly<Record<string, unknown>>; readonly agreeing: string } {
  const differing: Record<string, unknown> = {}
  vectors.forEach((vector, at) => {
    const found = foundFor(vector)
    try {
      expect(found).toEqual(expectedOf(vector))
    } catch {
      differing[idOf(vector, at)] = found
    }
  })
  const agreeing = `${vectors.length - Object.keys(differing).length} of ${vectors.length} agree`
  console.log(agreeing)
  return { differing, agreeing }
}

const NOT_HERE = 'the golden vectors are not beside the repository'

interface MultiGateVector {
  readonly id: string
  readonly top1_similarity: number
  readonly keywords_present: boolean
  readonly generation_confidence: number | null
  readonly unsupported_claims: readonly string[] | null
  readonly similarity_threshold: number
  readonly confidence_threshold: number
  readonly expect: {
    readonly refused: boolean
    readonly gate: number | null
    readonly reason: string | null
    readonly llm_called: boolean
    readonly warning?: boolean
    readonly answer?: string
  }
}

const GATE_NUMBERS: Readonly<Record<string, number>> = {
  'min-top-cosine': 1,
  'keyword-coverage': 2,
  'generation-confidence': 3,
  grounding: 4,
}

function multiGateOutcome(vector: MultiGateVector): MultiGateVector['expect'] {
  const policy = multiGate({
    refuseBelow: vector.similarity_threshold,
    refuseBelowConfidence: vector.confidence_threshold,
  })
  const signals = signalsOf({
    questionTermCount: 2,
    keywordCoverage: vector.keywords_present ? 1 : 0,
    curves: { cosine: aCurve(vector.top1_similarity) },
  })
  const before = judge(policy, signals)
  const called = before.verdict !== 'refuse'
  const { generation_confidence: confidence, unsupported_claims: claims } = vector
  const answer = answerSignalsOf({
    ...(confidence === null ? {} : { generationConfidence: confidence }),
    sentences: [aSentence(), ...(claims ?? []).map(() => aSentence({ termShare: 0 }))],
  })
  const judged = called ? judgeAnswer(policy, { ...before, signals }, answer) : before
  const deciding = judged.findings.find(({ outcome }) => outcome === 'refuse')
  return {
    refused: judged.verdict === 'refuse',
    gate: deciding === undefined ? null : (GATE_NUMBERS[deciding.gate] ?? NaN),
    reason: vector.expect.reason === null ? null : (deciding?.message ?? null),
    llm_called: called,
    ...(called ? { warning: judged.findings.some(({ code }) => code === 'keywords_missing') } : {}),
    ...(deciding === undefined ? {} : { answer: MESSAGES[judged.reason].answer }),
  }
}

describe('multiGate and the golden vectors of document 002', () => {
  interface Golden {
    readonly vectors: readonly (MultiGateVector & { readonly expect: { readonly sources?: unknown } })[]
    readonly calibration: readonly {
      readonly false_refusal_rate: number | null
      readonly hallucination_rate: number | null
      readonly recommended: string
    }[]
  }
  const golden = readGolden<Golden>('golden-adr004-derived')

  it('agrees with every vector: gate, reason, warning, text, and whether a model was called', ({ skip }) => {
    if (golden === undefined) return skip(NOT_HERE)
    const { differing, agreeing } = compare(
      golden.vectors,
      ({ id }) => id,
      ({ expect: { sources: _sources, ...rest } }) => rest,
      multiGateOutcome,
    )
    expect(differing).toEqual({})
    expect(agreeing).toBe('44 of 44 agree')
  })

  it('agrees with every vector of the calibration rule, once there are labels enough', ({ skip }) => {
    if (golden === undefined) return skip(NOT_HERE)
    const { differing, agreeing } = compare(
      golden.calibration,
      (_, at) => String(at),
      ({ recommended }) => recommended,
      ({ false_refusal_rate, hallucination_rate }) =>
        suggestThresholdChange(multiGate(), {
          falseRefusals: { rate: false_refusal_rate, labels: 1000 },
          hallucinations: { rate: hallucination_rate, labels: 1000 },
        }).action,
    )
    expect(differing).toEqual({})
    expect(agreeing).toBe('9 of 9 agree')
  })
})

const ZERO = 'decision 5: a reported 0 is 0; the original made it .5'
const FOURTH = 'decision 5: the fourth flag, which the table promises'
const WORD = 'decision 5: what is not a number is invalid, and has the lowest flag and a warning'
const NO_ERROR = 'decision 5: a reply without JSON is an answer that cannot be used, not an exception'
const NOT_FINITE = 'decision 1: what is not finite is no confidence'

/** Where document 003 is followed instead of its older code, and why. */
const PARSE_DIFFERENCES: Readonly<Record<string, string>> = {
  'confidence 0': ZERO,
  'confidence 0.49': FOURTH,
  'confidence 0.1': FOURTH,
  'confidence -0.5': FOURTH,
  'confidence -1': FOURTH,
  'confidence 0.3': FOURTH,
  'confidence "0.8"': WORD,
  'confidence "high"': WORD,
  'confidence true': WORD,
  'confidence {}': WORD,
  'confidence "Infinity"': WORD,
  'confidence 0.3708': FOURTH,
  'confidence 0.0129': FOURTH,
  'confidence 0.3331': FOURTH,
  'confidence 0.4298': FOURTH,
  'confidence 0.3865': FOURTH,
  'confidence 0.4579': FOURTH,
  'confidence 0.231': FOURTH,
  'confidence 0.2023': FOURTH,
  'no json': NO_ERROR,
  'null response': NO_ERROR,
  'broken json': NO_ERROR,
  'two objects': NO_ERROR,
}

const FLAG_DIFFERENCES: Readonly<Record<string, string>> = {
  '-0.1': FOURTH,
  NaN: FOURTH,
  Infinity: NOT_FINITE,
  '-Infinity': FOURTH,
}

describe('document 003 and its golden vectors', () => {
  interface Golden {
    readonly parse: readonly {
      readonly name: string
      readonly input: { readonly response: string | null }
      readonly expect: {
        readonly confidence: Figure
        readonly summary: string
        readonly flag: string
        readonly use: boolean
        readonly warning: string | null
        readonly throws?: string
      }
    }[]
    readonly flags: readonly { readonly confidence: Figure; readonly flag: string; readonly use: boolean }[]
    readonly formula: readonly {
      readonly retrievalQuality: Figure
      readonly sourceQuality: Figure
      readonly responseQuality: Figure
      readonly document_formula: Figure
      readonly additive_reading?: number
    }[]
    readonly ui: readonly {
      readonly confidence: number
      readonly badge: string
      readonly bg: string
      readonly color: string
      readonly banner: string | null
    }[]
  }
  const golden = readGolden<Golden>('golden-advisory')

  it('reads replies as the older code did, but for the listed differences', ({ skip }) => {
    if (golden === undefined) return skip(NOT_HERE)
    const { differing, agreeing } = compare(
      golden.parse,
      ({ name }) => name,
      ({ expect: wanted }) => {
        if (wanted.throws !== undefined) return wanted.throws
        const { confidence, flag, use, warning, summary } = wanted
        // The document words the warning more shortly than the code; the country, model, sources and valuation of the
        // reply belong to the product that it was written for.
        const short = warning?.replace('[RAG Adapter Test] Low confidence response', '[RAG Adapter] Low confidence')
        return {
          confidence: numberOf(confidence),
          flag,
          use,
          warning: short?.replace('Marking as advisory-only.', 'Advisory-only.') ?? null,
          summary: summary === 'No summary available' ? undefined : summary,
        }
      },
      ({ input }) => {
        const { confidence = NaN, summary, fault } = readSelfReport(input.response)
        if (fault !== undefined) return fault
        const flag = getAdvisoryFlag(confidence)
        return {
          confidence,
          flag,
          use: shouldUseAdvisory(confidence),
          warning: advisoryWarning(confidence) ?? null,
          summary,
        }
      },
    )
    expect(Object.keys(differing).sort()).toEqual(Object.keys(PARSE_DIFFERENCES).sort())
    expect(differing).toMatchObject({
      'confidence 0': { confidence: 0, flag: 'VERY_LOW_CONFIDENCE' },
      'confidence "high"': 'confidence_invalid',
      'no json': 'no_json',
    })
    expect(agreeing).toBe('21 of 44 agree')
  })

  it('flags as the older code did, but for the listed differences', ({ skip }) => {
    if (golden === undefined) return skip(NOT_HERE)
    const { differing, agreeing } = compare(
      golden.flags,
      ({ confidence }) => String(numberOf(confidence)),
      ({ flag, use }) => ({ flag, use }),
      (vector) => {
        const confidence = numberOf(vector.confidence)
        return { flag: getAdvisoryFlag(confidence), use: shouldUseAdvisory(confidence) }
      },
    )
    expect(Object.keys(differing).sort()).toEqual(Object.keys(FLAG_DIFFERENCES).sort())
    expect(agreeing).toBe('8 of 12 agree')
  })

  it('adds the factors up (decision 5), where the printed formula would weigh them twice', ({ skip }) => {
    if (golden === undefined) return skip(NOT_HERE)
    const { differing, agreeing } = compare(
      golden.formula,
      (_, at) => String(at),
      ({ additive_reading, document_formula }) => {
        const wanted = additive_reading ?? numberOf(document_formula)
        return Number.isNaN(wanted) ? NaN : expect.closeTo(wanted, 9)
      },
      ({ retrievalQuality, sourceQuality, responseQuality }) =>
        calculateConfidence(numberOf(retrievalQuality), numberOf(sourceQuality), numberOf(responseQuality)),
    )
    // Factors over their caps, which the parts of the formula cannot reach: their sum is held at 1.
    expect(differing).toEqual({ '65': 1, '66': 1 })
    expect(agreeing).toBe('67 of 69 agree')
  })

  it('shows every badge and banner as the document prints it', ({ skip }) => {
    if (golden === undefined) return skip(NOT_HERE)
    const { differing, agreeing } = compare(
      golden.ui,
      ({ confidence }) => String(confidence),
      ({ confidence: _confidence, ...shown }) => shown,
      ({ confidence }) => {
        const badge = advisoryBadge(confidence)
        const { backgroundColor: bg, color } = badge.style
        return { badge: badge.text, bg, color, banner: advisoryBanner(confidence)?.text ?? null }
      },
    )
    expect(differing).toEqual({})
    expect(agreeing).toBe('9 of 9 agree')
  })
})

interface ShareVector {
  readonly id: string
  readonly attention: readonly (readonly [id: string, share: Figure])[]
  readonly chunks: readonly {
    readonly chunk_id: string
    readonly metadata?: { readonly statute?: string; readonly section?: string }
  }[]
  readonly threshold: Figure
  readonly enable_gating: boolean
  readonly strict_mode: boolean
  readonly expect: {
    readonly throws?: string
    readonly message?: string
    readonly final_passes?: boolean
    readonly info?: Readonly<Record<string, unknown>> & { readonly refusal?: Readonly<Record<string, unknown>> }
  }
}

/** The settings under which document 004's own figures come out. */
const AS_DOCUMENTED = { noSupport: 'ignored', overlap: 'words', minOverlap: 0 } as const

function chunksOf(listed: ShareVector['chunks']): Chunk[] {
  return listed.map(({ chunk_id: id, metadata = {} }) => ({ ...aPassage(id), metadata, scores: {} }))
}

/** What the profile says of a vector, in the words of the older code. */
function shareOutcome({ attention, chunks, threshold, enable_gating, strict_mode }: ShareVector): unknown {
  try {
    const policy = sufficiency({
      ...AS_DOCUMENTED,
      threshold: numberOf(threshold),
      equality: strict_mode ? 'refuses' : 'passes',
      ...(enable_gating ? {} : { dangerouslyDisableGates: true }),
    })
    const evidence = chunksOf(chunks)
    const shares = attention.map(([chunkId, share]) => ({ chunkId, share: numberOf(share) }))
    const answer = measureAnswer({ question: 'q', chunks: evidence, answer: 'a', report: { attribution: { shares } } })
    const signals = signalsOf()
    const judged = judgeAnswer(policy, { ...judge(policy, signals), signals }, answer)
    const decision = { ...judged, evidenceIds: evidence.map(({ id }) => id) }
    const gating = gatingReport(decision)
    if (gating === undefined || gating.max_attention === null) return finding(judged.findings)
    const refused = insufficientEvidence(decision, evidence)
    const refusal =
      refused === undefined
        ? {}
        : {
            refusal: {
              ...renamed(refused),
              suggestions: MESSAGES.share_low.suggestions,
            },
          }
    return { final_passes: judged.verdict !== 'refuse', info: { ...gating, ...refusal } }
  } catch (thrown) {
    return isRagGateError(thrown) ? thrown.message : 'unexpected'
  }
}

const finding = (findings: readonly Finding[]): string | undefined =>
  findings.find(({ outcome }) => outcome === 'refuse')?.code

/** The document says `evidence_count` where its code says `evidence_retrieved`. */
function renamed<Members extends { readonly evidence_count: number }>({ evidence_count, ...rest }: Members): object {
  return { ...rest, evidence_retrieved: evidence_count }
}

const SUM = 'decision 6: shares that do not add up refuse'
const NO_NUMBER = 'decision 6: shares that are not finite refuse'
const UNKNOWN = 'decision 6: ids unknown to the evidence refuse'
const EMPTY = 'decision 6: no shares are a refusal, not an exception'

const SHARE_DIFFERENCES: Readonly<Record<string, readonly [found: string, because: string]>> = {
  e033: ['shares_invalid', EMPTY],
  e034: ['shares_invalid', EMPTY],
  e036: ['shares_invalid', UNKNOWN],
  e043: ['shares_invalid', SUM],
  e045: ['shares_invalid', SUM],
  e048: ['shares_invalid', NO_NUMBER],
  e049: ['shares_invalid', NO_NUMBER],
  e051: ['shares_invalid', NO_NUMBER],
  e058: ['shares_invalid', UNKNOWN],
}

/** Where shares derived from words differ: cases that evidence cannot hold, by their names. */
const PROXY_DIFFERENCES: Readonly<Record<string, string>> = {
  'duplicate ids: last wins': 'chunk ids are content-addressed: evidence holds each once',
  'missing id': 'a chunk always has an id',
}

describe('document 004 and its golden vectors', () => {
  interface Golden {
    readonly vectors: readonly ShareVector[]
    readonly threshold_api: readonly {
      readonly set: number | boolean
      readonly get?: number | boolean
      readonly get_after?: number
      readonly throws?: string
      readonly message?: string
    }[]
    readonly stats: readonly {
      readonly records: readonly (readonly [passes: boolean, share: number, query: string])[]
      readonly expect: unknown
    }[]
    readonly attention_proxy: readonly {
      readonly name: string
      readonly answer: string
      readonly chunks: readonly { readonly chunk_id?: string; readonly text: string }[]
      readonly expect: readonly (readonly [id: string, share: number])[]
      readonly gate_default_passes: boolean | null
    }[]
  }
  const golden = readGolden<Golden>('golden-evidence-gate')

  it('gates as the older code did, to the fourth decimal, but for the listed differences', ({ skip }) => {
    if (golden === undefined) return skip(NOT_HERE)
    const { differing, agreeing } = compare(
      golden.vectors,
      ({ id }) => id,
      // Other languages write numbers that are none in other ways.
      ({ expect: wanted }) =>
        wanted.message?.replace('nan', 'NaN') ?? { final_passes: wanted.final_passes, info: wanted.info },
      shareOutcome,
    )
    expect(differing).toEqual(Object.fromEntries(Object.entries(SHARE_DIFFERENCES).map(([id, [found]]) => [id, found])))
    expect(agreeing).toBe('54 of 63 agree')
  })

  it('takes thresholds as the older code did, but for one that is no number', ({ skip }) => {
    if (golden === undefined) return skip(NOT_HERE)
    const threshold = sufficiencyThreshold()
    const { differing, agreeing } = compare(
      golden.threshold_api,
      ({ set }) => String(set),
      ({ get, get_after, message }) => (message === undefined ? get : [message, get_after]),
      ({ set }) => {
        try {
          threshold.setThreshold(set as number)
          return threshold.getThreshold()
        } catch (thrown) {
          return [(thrown as Error).message, threshold.getThreshold()]
        }
      },
    )
    // decision 1: `true` is no number.
    expect(differing).toEqual({ true: ['Threshold must be in [0.0, 1.0], got NaN', 1] })
    expect(agreeing).toBe('7 of 8 agree')
  })

  it('counts exactly as the older code did', ({ skip }) => {
    if (golden === undefined) return skip(NOT_HERE)
    const { differing, agreeing } = compare(
      golden.stats,
      (_, at) => String(at),
      ({ expect: wanted }) => wanted,
      ({ records }) => {
        const stats = evidenceGatingStats()
        for (const [passes, share, query] of records) stats.record(passes, share, query)
        return stats.getStats()
      },
    )
    expect(differing).toEqual({})
    expect(agreeing).toBe('11 of 11 agree')
  })

  it('derives shares from words as the older code did, but for evidence that cannot be', ({ skip }) => {
    if (golden === undefined) return skip(NOT_HERE)
    const { differing, agreeing } = compare(
      golden.attention_proxy,
      ({ name }, at) => (name === 'random' ? `random ${at}` : name),
      (vector) => {
        const [first, ...rest] = vector.expect
        if (first === undefined) return { top: undefined, passes: null }
        const top = rest.reduce((best, entry) => (entry[1] > best[1] ? entry : best), first)
        return { top: { chunkId: top[0], share: expect.closeTo(top[1], 12) }, passes: vector.gate_default_passes }
      },
      ({ answer, chunks }) => {
        const settings = evidenceShare(AS_DOCUMENTED)
        const evidence = chunks.map(({ chunk_id = '', text }) => ({ ...aPassage(chunk_id, { text }), scores: {} }))
        const top = largestShare(settings, measureAnswer({ question: 'q', chunks: evidence, answer }))
        return { top, passes: top === undefined ? null : top.share >= settings.threshold }
      },
    )
    expect(Object.keys(differing).sort()).toEqual(Object.keys(PROXY_DIFFERENCES).sort())
    expect(agreeing).toBe('20 of 22 agree')
  })
})
