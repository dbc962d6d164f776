/** Document 003 against its golden file: replies, flags, the sum of the factors, badges and banners. */
import { expect } from 'vitest'
import {
  advisoryBadge,
  advisoryBanner,
  advisoryWarning,
  getAdvisoryFlag,
  readSelfReport,
  shouldUseAdvisory,
} from '../../../packages/presets/src/advisory/advisory-flags.ts'
import { calculateConfidence } from '../../../packages/presets/src/advisory/advisory-factors.ts'
import { type Compared, compareAll, type Figure, numberOf } from '../../golden/vectors.ts'

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

type Reply = Golden['parse'][number]

/**
 * The document words the warning more shortly than the code; the country, model, sources and valuation of the reply
 * belong to the product that it was written for.
 */
function expectedReply({ expect: wanted }: Reply): unknown {
  if (wanted.throws !== undefined) return wanted.throws
  const { confidence, flag, use, warning, summary } = wanted
  const short = warning?.replace('[RAG Adapter Test] Low confidence response', '[RAG Adapter] Low confidence')
  return {
    confidence: numberOf(confidence),
    flag,
    use,
    warning: short?.replace('Marking as advisory-only.', 'Advisory-only.') ?? null,
    summary: summary === 'No summary available' ? undefined : summary,
  }
}

function readReply({ input }: Reply): unknown {
  const { confidence = NaN, summary, fault } = readSelfReport(input.response)
  if (fault !== undefined) return fault
  const flag = getAdvisoryFlag(confidence)
  const use = shouldUseAdvisory(confidence)
  return { confidence, flag, use, warning: advisoryWarning(confidence) ?? null, summary }
}

/** A reply that could be read by its figure and flag, another by its fault. */
function sayReply(found: unknown): string {
  if (typeof found === 'string') return found
  const { confidence, flag } = found as { readonly confidence: number; readonly flag: string }
  return `${confidence}, ${flag}`
}

/** Every section; the formula against its additive reading (decision 5). */
export function compareDocument003(golden: Golden): Readonly<Record<string, readonly Compared[]>> {
  return {
    parse: compareAll(golden.parse, ({ name }) => name, expectedReply, readReply, sayReply),
    flags: compareAll(
      golden.flags,
      ({ confidence }) => String(numberOf(confidence)),
      ({ flag, use }) => ({ flag, use }),
      (vector) => {
        const confidence = numberOf(vector.confidence)
        return { flag: getAdvisoryFlag(confidence), use: shouldUseAdvisory(confidence) }
      },
      (found) => (found as { readonly flag: string }).flag,
    ),
    formula: compareAll(
      golden.formula,
      (_, at) => String(at),
      ({ additive_reading, document_formula }) => {
        const wanted = additive_reading ?? numberOf(document_formula)
        return Number.isNaN(wanted) ? NaN : expect.closeTo(wanted, 9)
      },
      ({ retrievalQuality, sourceQuality, responseQuality }) =>
        calculateConfidence(numberOf(retrievalQuality), numberOf(sourceQuality), numberOf(responseQuality)),
      String,
    ),
    ui: compareAll(
      golden.ui,
      ({ confidence }) => String(confidence),
      ({ confidence: _confidence, ...shown }) => shown,
      ({ confidence }) => {
        const badge = advisoryBadge(confidence)
        const { backgroundColor: bg, color } = badge.style
        return { badge: badge.text, bg, color, banner: advisoryBanner(confidence)?.text ?? null }
      },
    ),
  }
}
