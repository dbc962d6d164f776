/** Document 004 against its golden file: the sufficiency gate, its threshold, its statistics, and derived shares. */
import { settingsIn } from '../../fixtures/policy.ts'
import { expect } from 'vitest'
import type { Chunk } from '../../../src/core/evidence/chunk.ts'
import {
  evidenceShare,
  largestShare,
  evidenceShareGate,
} from '../../../packages/presets/src/sufficiency/evidence-share.ts'
import {
  evidenceGatingStats,
  gatingReport,
  insufficientEvidence,
} from '../../../packages/presets/src/sufficiency/gating-report.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { judgeAnswer } from '../../../src/core/policy/judge-answer.ts'
import { sufficiency, sufficiencyThreshold } from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { isRagGateError } from '../../../src/errors.ts'
import { aPassage, signalsOf } from '../../fixtures/evidence.ts'
import { type Compared, compareAll, type Figure, numberOf } from '../../golden/vectors.ts'
import { measureAnswer } from '../../fixtures/english.ts'

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

interface ProxyVector {
  readonly name: string
  readonly answer: string
  readonly chunks: readonly { readonly chunk_id?: string; readonly text: string }[]
  readonly expect: readonly (readonly [id: string, share: number])[]
  readonly gate_default_passes: boolean | null
}

interface Golden {
  readonly vectors: readonly ShareVector[]
  readonly threshold_api: readonly {
    readonly set: number | boolean
    readonly get?: number | boolean
    readonly get_after?: number
    readonly message?: string
  }[]
  readonly stats: readonly {
    readonly records: readonly (readonly [passes: boolean, share: number, query: string])[]
    readonly expect: unknown
  }[]
  readonly attention_proxy: readonly ProxyVector[]
}

/** The settings under which document 004's own figures come out. */
const AS_DOCUMENTED = { noSupport: 'ignored', overlap: 'words', minOverlap: 0 } as const

function chunksOf(listed: ShareVector['chunks']): Chunk[] {
  return listed.map(({ chunk_id: id, metadata = {} }) => ({ ...aPassage(id), metadata, scores: {} }))
}

/** What the profile says of a vector, in the words of the older code; the code of a refusal without figures. */
function shareOutcome({ attention, chunks, threshold, enable_gating, strict_mode }: ShareVector): unknown {
  try {
    const policy = sufficiency({
      ...AS_DOCUMENTED,
      wording: 'specification',
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
    if (gating === undefined || gating.max_attention === null) {
      return judged.findings.find(({ outcome }) => outcome === 'refuse')?.code
    }
    const refused = insufficientEvidence(decision, evidence, 'specification')
    const refusal =
      refused === undefined
        ? {}
        : { refusal: { ...renamed(refused), suggestions: policy.texts['share_low']?.suggestions } }
    return { final_passes: judged.verdict !== 'refuse', info: { ...gating, ...refusal } }
  } catch (thrown) {
    return isRagGateError(thrown) ? thrown.message : 'unexpected'
  }
}

/** The document says `evidence_count` where its code says `evidence_retrieved`. */
function renamed<Members extends { readonly evidence_count: number }>({ evidence_count, ...rest }: Members): object {
  return { ...rest, evidence_retrieved: evidence_count }
}

/** The largest derived share, and whether the default gate passes it. */
function proxyOutcome({ answer, chunks }: ProxyVector): unknown {
  const settings = settingsIn(evidenceShareGate, evidenceShare(AS_DOCUMENTED))
  const evidence = chunks.map(({ chunk_id = '', text }) => ({ ...aPassage(chunk_id, { text }), scores: {} }))
  const top = largestShare(settings, measureAnswer({ question: 'q', chunks: evidence, answer }))
  return { top, passes: top === undefined ? null : top.share >= settings.threshold }
}

function expectedProxy(vector: ProxyVector): unknown {
  const [first, ...rest] = vector.expect
  if (first === undefined) return { top: undefined, passes: null }
  const top = rest.reduce((best, entry) => (entry[1] > best[1] ? entry : best), first)
  return { top: { chunkId: top[0], share: expect.closeTo(top[1], 12) }, passes: vector.gate_default_passes }
}

function compareThresholds(golden: Golden): Compared[] {
  const threshold = sufficiencyThreshold()
  return compareAll(
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
    (found) => String([found].flat()[0]),
  )
}

/** Every section. */
export function compareDocument004(golden: Golden): Readonly<Record<string, readonly Compared[]>> {
  return {
    vectors: compareAll(
      golden.vectors,
      ({ id }) => id,
      // Other languages write numbers that are none in other ways.
      ({ expect: wanted }) =>
        wanted.message?.replace('nan', 'NaN') ?? { final_passes: wanted.final_passes, info: wanted.info },
      shareOutcome,
      String,
    ),
    threshold_api: compareThresholds(golden),
    stats: compareAll(
      golden.stats,
      (_, at) => String(at),
      ({ expect: wanted }) => wanted,
      ({ records }) => {
        const stats = evidenceGatingStats()
        for (const [passes, share, query] of records) stats.record(passes, share, query)
        return stats.getStats()
      },
    ),
    attention_proxy: compareAll(
      golden.attention_proxy,
      ({ name }, at) => (name === 'random' ? `random ${at}` : name),
      expectedProxy,
      proxyOutcome,
      (found) => JSON.stringify((found as { readonly top: unknown }).top),
    ),
  }
}
