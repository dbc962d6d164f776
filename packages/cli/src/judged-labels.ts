/** Asks a gate labelled questions over HTTP, in parallel, skipping those with stored results. */
import { createHash } from 'node:crypto'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { RerankerOutcome } from 'hono-rag-gate/core/evidence'
import type { Verdict } from 'hono-rag-gate/core/gates'
import type { Signals } from 'hono-rag-gate/core/signals'
import { CommandError, GateFailure, notWritten } from './command-error.ts'
import {
  ask,
  type AskReply,
  failureOf,
  type Form,
  type GateAddress,
  hasForm,
  pauseMs,
  requireForm,
} from './gate-client.ts'
import type { Label } from './labels.ts'
import { oneLine, type Terminal } from './terminal.ts'

/** The gate's decision on a labelled question: a line of the results file. */
export interface LabelResult {
  /** Hash of the question, its collection, and how it was asked. */
  readonly key: string
  readonly question: string
  readonly collection: string
  readonly answerable: boolean
  readonly kind: string
  readonly verdict: Verdict
  readonly reason: string
  readonly confidence: number
  readonly signals: Signals
  /** Absent from older gates and results. */
  readonly reranker?: RerankerOutcome
  readonly findings: readonly { readonly gate: string; readonly outcome: string }[]
  /** Threshold of the gate `confidence-range`; absent for policies without it. */
  readonly refuseBelow?: number
  readonly adviseBelow?: number
  /** Judged passages, best first, with their documents. */
  readonly chunks: readonly { readonly id: string; readonly documentId: string }[]
  /** Whether a relevant one is among them; `null` if the label names none. */
  readonly found: boolean | null
  readonly policy: string
  /** What the confidence is based on, such as `scaled`; absent from other gates and older results. */
  readonly calibration?: string
  readonly ms: number
}

/** Options of `askLabels`. */
export interface AskingOptions {
  readonly gate: GateAddress
  /** For labels without a collection. */
  readonly collection: string
  /** Number of parallel questions, 1..16. */
  readonly parallel: number
  /** Path of the results file; none if absent. */
  readonly results?: string
  /** Replaces stored results, once the gate has answered. @default false */
  readonly fresh?: boolean
  /** `answers` asks like callers do; `judgements` only judges: no model call, no cache, no recording. */
  readonly mode: 'answers' | 'judgements'
  /** Ids of passages and documents to leave out for a label. @default nothing */
  readonly without?: (label: Label) => readonly string[]
  /** What is judged, such as the version of the documents; stored results about anything else are not used. */
  readonly about?: Readonly<Record<string, unknown>>
}

const MAX_TRIES = 5
/** Characters of a rejected question to show. */
const SHOWN = 100

/**
 * Asks every label once.
 *
 * @returns results in the order of the labels
 * @throws `CommandError` if results cannot be written, or the gate responds with an error or without details (scope
 *   admin)
 */
export async function askLabels(
  labels: readonly Label[],
  options: AskingOptions,
  { progress, note }: Pick<Terminal, 'progress' | 'note'>,
): Promise<readonly LabelResult[]> {
  const { results: path, fresh = false } = options
  const stored = await knownResults(options)
  const known = fresh ? new Map<string, LabelResult>() : stored
  let emptied: Promise<void> | undefined
  const store = async (path: string, result: LabelResult): Promise<void> => {
    if (fresh) await (emptied ??= keep(path, '', writeFile))
    await keep(path, `${JSON.stringify(result)}\n`)
  }
  const results: (LabelResult | undefined)[] = labels.map((label) => known.get(keyOf(label, options)))
  const open = labels.flatMap((label, at) => (results[at] === undefined ? [{ label, at }] : []))
  let done = labels.length - open.length
  if (done > 0) note(`${done} of ${labels.length} questions are not asked again: ${path} has their results.`)
  const worker = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { label, at } = next
      const result = await askOne(label, options)
      results[at] = result
      if (path !== undefined) await store(path, result)
      progress.show(++done, labels.length, `${done} of ${labels.length} questions`)
    }
  }
  try {
    await Promise.all(Array.from({ length: options.parallel }, worker))
  } catch (thrown) {
    // Do not start further questions.
    open.length = 0
    throw thrown
  } finally {
    progress.end()
  }
  // Every label has a stored or new result.
  return results as LabelResult[]
}

/** The threshold by which all were judged; `undefined` without one, or if collections have different ones. */
export function commonThreshold(
  results: readonly LabelResult[],
  name: 'refuseBelow' | 'adviseBelow',
): number | undefined {
  const [threshold, ...others] = new Set(results.map((result) => result[name]))
  return others.length === 0 ? threshold : undefined
}

/** Whether the reranker failed or timed out on a question. */
export function readerFailed({ reranker }: Pick<LabelResult, 'reranker'>): boolean {
  return reranker === 'failed' || reranker === 'timeout'
}

async function keep(path: string, text: string, write: typeof appendFile = appendFile): Promise<void> {
  await write(path, text).catch(notWritten(path))
}

/** Stored results. A judgement with a failed reranker is asked again; an answer is kept, because callers got it too. */
async function knownResults({ results: path, mode }: AskingOptions): Promise<ReadonlyMap<string, LabelResult>> {
  if (path === undefined) return new Map()
  const text = await readFile(path, 'utf8').catch(() => '')
  // Completes a truncated last line, and fails early if the file cannot be written.
  await keep(path, /[^\n]$/.test(text) ? '\n' : '')
  const found = new Map<string, LabelResult>()
  for (const line of text.split('\n')) {
    try {
      const result = JSON.parse(line) as LabelResult
      if (hasForm(result, RESULT) && !(mode === 'judgements' && readerFailed(result))) found.set(result.key, result)
    } catch {
      // The last line of an interrupted run may be truncated; its question is asked again, as for other damaged lines.
    }
  }
  return found
}

function keyOf(label: Label, { gate, collection, mode, without, about }: AskingOptions): string {
  const asked = [gate.url, label.collection ?? collection, label.question, label.answerable, label.kind, mode]
  return createHash('sha256')
    .update(JSON.stringify([...asked, label.relevantIds, without?.(label) ?? [], ...(about ? [about] : [])]))
    .digest('hex')
    .slice(0, 32)
}

async function askOne(label: Label, options: AskingOptions): Promise<LabelResult> {
  const { gate, collection, mode, without } = options
  const named = label.collection ?? collection
  const fields = { collection: named, ...(mode === 'judgements' ? { without: without?.(label) ?? [] } : {}) }
  const path = mode === 'judgements' ? '/v1/judgements' : '/ask'
  const { reply, ms } = await askWithRetries(gate, label.question, fields, path)
  requireForm(reply.body, REPLY)
  const detail = reply.body.detail as (AskReply['body']['detail'] & Detail) | undefined
  if (detail?.signals === undefined)
    throw new CommandError(
      'Only operators are told the signals: the key needs the scope admin; an app of your own has tuneThreshold',
    )
  const chunks = detail.chunks.map(({ id, document_id: documentId }) => ({ id, documentId }))
  const range = detail.gates.find(({ gate: name }) => name === 'confidence-range')
  const relevant = new Set(label.relevantIds)
  const header = reply.headers.get('rag-gate') ?? ''
  const calibration = /;calibration=([\w-]+)/.exec(header)?.[1]
  return {
    key: keyOf(label, options),
    question: label.question,
    collection: named,
    answerable: label.answerable,
    kind: label.kind,
    verdict: reply.body.verdict,
    reason: reply.body.reason_code,
    confidence: detail.confidence,
    signals: detail.signals,
    ...(detail.reranker === undefined ? {} : { reranker: detail.reranker }),
    findings: detail.findings.map(({ gate: name, outcome }) => ({ gate: name, outcome })),
    ...(range?.refuseBelow === undefined ? {} : { refuseBelow: range.refuseBelow }),
    ...(range?.adviseBelow === undefined ? {} : { adviseBelow: range.adviseBelow }),
    chunks,
    found:
      relevant.size === 0 ? null : chunks.some(({ id, documentId }) => relevant.has(id) || relevant.has(documentId)),
    policy: /policy="?([^";,]+)/.exec(header)?.[1] ?? '',
    ...(calibration === undefined ? {} : { calibration }),
    ms: Math.round(ms * 10) / 10,
  }
}

const THRESHOLDS = { 'refuseBelow?': 'number', 'adviseBelow?': 'number' }
const FINDINGS = [{ gate: 'string', outcome: 'string' }] as const
/** Form of a stored result. */
const RESULT: Form = {
  key: 'string',
  verdict: 'string',
  reason: 'string',
  confidence: 'number',
  signals: 'object',
  findings: FINDINGS,
  chunks: [{ id: 'string', documentId: 'string' }],
  policy: 'string',
  ms: 'number',
  ...THRESHOLDS,
}

/** Without the scope admin, a gate gives no `detail`. */
const REPLY: Form = {
  verdict: 'string',
  reason_code: 'string',
  'detail?': {
    confidence: 'number',
    'signals?': 'object',
    gates: [{ gate: 'string', ...THRESHOLDS }],
    findings: FINDINGS,
    chunks: [{ id: 'string', document_id: 'string' }],
  },
}

interface Detail {
  readonly signals?: Signals
  readonly reranker?: RerankerOutcome
  readonly gates: readonly { readonly gate: string; readonly refuseBelow?: number; readonly adviseBelow?: number }[]
}

/** Retries while the gate is busy, with increasing delays. @returns the time of the last try, without these */
async function askWithRetries(
  gate: GateAddress,
  question: string,
  fields: Readonly<Record<string, unknown>>,
  path: '/ask' | '/v1/judgements',
): Promise<{ readonly reply: AskReply; readonly ms: number }> {
  for (let tries = 1; ; tries++) {
    const startedMs = performance.now()
    const reply = await ask(gate, question, fields, path)
    if (reply.status < 400) return { reply, ms: performance.now() - startedMs }
    const failure = failureOf(reply.status, JSON.stringify(reply.body))
    const pause = pauseMs(reply, tries)
    if (![429, 502, 503, 504].includes(reply.status) || tries === MAX_TRIES || pause === undefined) {
      if (failure instanceof GateFailure && failure.code === 'not_found' && path === '/v1/judgements') {
        throw new CommandError(
          'Only the ready Worker judges without an answer: there is no /v1/judgements at this address',
        )
      }
      // Of many questions, the one at fault is not known otherwise.
      const isQuestion = failure instanceof GateFailure && failure.param === 'question'
      throw isQuestion ? new CommandError(`${failure.message}: ${oneLine(question).slice(0, SHOWN)}`) : failure
    }
    await wait(pause)
  }
}
