/** First step of judging an answer: computes signals from its text and the handler's reports. */
import { type Chunk, relevanceShare } from 'hono-rag-gate/core/evidence'
import type {
  AnswerInput,
  AnswerSignals,
  AnswerStructure,
  ChunkOverlap,
  EvidenceShare,
  GenerationReport,
  SourceKind,
} from 'hono-rag-gate/core/answer'
import { citedNumbers, supportOfAnswer } from './sentence-support.ts'
import { type Language, terms, visible } from 'hono-rag-gate/core/text'

/** Tolerance when checking that reported shares sum to 1. */
const SUM_TOLERANCE = 1e-3

/**
 * Measures an answer against the evidence; pure, without a model. Signals that were not reported are absent; reports
 * that cannot be used are named in `unusable`.
 *
 * @returns signals with `readable: false` if there is no answer, or none with visible text
 */
export function measureAnswer(input: AnswerInput): AnswerSignals {
  const { generationConfidenceSource = 'reported', language } = input
  // Untyped callers may pass a chunk without text; it supports nothing.
  const chunks = input.chunks.map((chunk) => (typeof chunk.text === 'string' ? chunk : { ...chunk, text: '' }))
  // Untyped handlers may report anything; `null` counts as not reported.
  const report = input.report ?? {}
  const answer = typeof input.answer === 'string' ? visible(input.answer) : ''
  const confidence =
    generationConfidenceSource === 'reported'
      ? report.generationConfidence
      : meanProbability(report.tokenLogProbabilities)
  const confidenceUsable = isShare(confidence)
  const attribution = report.attribution ?? undefined
  const attributionUsable = attribution !== undefined && usableAttribution(attribution, chunks)
  const texts = chunks.map(({ text }) => text)
  const { sentences, cited } = supportOfAnswer(answer, texts, language)
  const held = overlapsOf(answer, chunks, cited, language)
  return Object.freeze({
    readable: answer.trim() !== '',
    unusable: [
      ...(confidence !== undefined && confidence !== null && !confidenceUsable
        ? (['generationConfidence'] as const)
        : []),
      ...(attribution !== undefined && !attributionUsable ? (['attribution'] as const) : []),
    ],
    // `+ 0` turns −0 into 0, as JSON does.
    ...(confidenceUsable ? { generationConfidence: confidence + 0 } : {}),
    sentences,
    ...held,
    ...(attributionUsable
      ? {
          reportedShares: attribution.shares.map(({ chunkId, share }) => ({ chunkId, share: share + 0 })),
          reportedNoSupport: (attribution.noSupport ?? 0) + 0,
        }
      : {}),
    citedSources: citedChunks(answer, chunks, report.citedChunkIds).map(sourceKindOf),
    ...(report.structured === undefined ? {} : { structure: structureOf(report.structured, input.fields ?? []) }),
  })
}

/** The geometric mean of token probabilities; `NaN` if a log-probability is not finite or is above 0. */
function meanProbability(logarithms: readonly number[] | undefined): number | undefined {
  const given: unknown = logarithms ?? []
  if (!Array.isArray(given)) return NaN
  if (given.length === 0) return undefined
  // `Array.from` fills the holes of a sparse array, which `every` would skip.
  const values: readonly unknown[] = Array.from(given)
  if (!values.every((value) => typeof value === 'number' && value <= 0)) return NaN
  return Math.exp(values.reduce((sum: number, value) => sum + Number(value), 0) / values.length)
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1
}

/** Whether every chunk is known and occurs once, every share is within 0..1, and the shares sum to 1. */
function usableAttribution(
  attribution: NonNullable<GenerationReport['attribution']>,
  chunks: readonly Chunk[],
): boolean {
  const { shares, noSupport = 0 } = attribution
  if (!Array.isArray(shares) || shares.length === 0 || !isShare(noSupport)) return false
  const known = new Set(chunks.map(({ id }) => id))
  let sum = noSupport
  for (const entry of shares as readonly (EvidenceShare | null | undefined)[]) {
    if (!isShare(entry?.share) || !known.delete(entry.chunkId)) return false
    sum += entry.share
  }
  return Math.abs(sum - 1) <= SUM_TOLERANCE
}

function overlapsOf(
  answer: string,
  chunks: readonly Chunk[],
  cited: readonly number[],
  language: Language | undefined,
): Pick<AnswerSignals, 'overlaps' | 'termCount' | 'unsupportedTermCount'> {
  const answerWords = wordSet(answer)
  const answerTerms = new Set(terms(answer, language))
  const unsupported = new Set(answerTerms)
  const overlaps = chunks.map((chunk, at): ChunkOverlap => {
    const text = visible(chunk.text)
    const chunkTerms = new Set(terms(text, language))
    for (const term of chunkTerms) unsupported.delete(term)
    const confidence = relevanceShare(chunk.scores)
    return {
      chunkId: chunk.id,
      words: inCommon(answerWords, wordSet(text)),
      terms: inCommon(answerTerms, chunkTerms),
      cited: cited[at] ?? 0,
      ...(confidence === undefined ? {} : { confidence }),
    }
  })
  return { overlaps, termCount: answerTerms.size, unsupportedTermCount: unsupported.size }
}

function wordSet(text: string): Set<string> {
  return new Set(
    text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ''),
  )
}

function inCommon(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let count = 0
  for (const member of one) if (other.has(member)) count++
  return count
}

function citedChunks(
  answer: string,
  chunks: readonly Chunk[],
  reported: readonly string[] | undefined,
): readonly Chunk[] {
  const byNumber = new Set(citedNumbers(answer))
  return chunks.filter(({ id }, at) => (Array.isArray(reported) ? reported.includes(id) : byNumber.has(at + 1)))
}

const SOURCE_KINDS: Readonly<Record<string, SourceKind>> = {
  government: 'government',
  regulatory: 'regulatory',
  'market-data': 'market-data',
  market_data: 'market-data',
  market: 'market-data',
  'third-party': 'third-party',
  third_party: 'third-party',
}

/** The kind of a source, which the ingester stores as `source_kind` in the metadata. */
function sourceKindOf({ metadata }: Chunk): SourceKind {
  const kind = metadata?.['source_kind']
  return typeof kind === 'string' && Object.hasOwn(SOURCE_KINDS, kind) ? (SOURCE_KINDS[kind] ?? 'unknown') : 'unknown'
}

function structureOf(structured: unknown, fields: readonly string[]): AnswerStructure {
  const value = typeof structured === 'string' ? parsed(structured) : structured
  const valid = isObject(value) && !Array.isArray(value)
  const has = (field: string): boolean =>
    valid && Object.hasOwn(value, field) && isFilled((value as Readonly<Record<string, unknown>>)[field])
  return { valid, lookedFor: fields, missing: fields.filter((field) => !has(field)) }
}

/** Whether a field has a value: `0`, `false` and empty lists count, values that JSON cannot represent do not. */
function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return visible(value).trim() !== ''
  return typeof value === 'number' ? Number.isFinite(value) : typeof value === 'boolean' || isObject(value)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
