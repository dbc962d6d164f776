/** `rag-gate calibrate`: turns labelled questions into a policy with a guaranteed risk for their collection. */
import { writeFile } from 'node:fs/promises'
import {
  binomialInterval,
  type CalibrateOptions,
  calibratePolicy,
  type Calibration,
  type CalibrationLabel,
  labelsNeeded,
  type MeasuredRate,
  measuredRate,
  uncertainMiddle,
  hasReaderScores,
} from '@hono-rag-gate/calibration'
import {
  confidenceOf,
  definePolicy,
  pinDifferences,
  type PolicyPin,
  policySettings,
  unscaled,
} from 'hono-rag-gate/core/policy'
import { normaliseQuestion } from 'hono-rag-gate/core/text'
import { balanced } from 'hono-rag-gate/balanced'
import { isRagGateError } from 'hono-rag-gate/errors'
import { CommandError, misused, notWritten, requireWritable } from './command-error.ts'
import { command, only, wholeNumber } from './command.ts'
import { DRAFTED_KINDS } from './draft-questions.ts'
import { percent, rateText, shareOf } from './eval.ts'
import { callGate, COLLECTIONS, type GateAddress, requireForm } from './gate-client.ts'
import { askLabels, type LabelResult, readerFailed } from './judged-labels.ts'
import { type Label, readLabels, requireOtherFiles } from './labels.ts'
import { jsonText, oneLine, type Terminal } from './terminal.ts'

/** The file that `rag-gate policy push` sends. */
export interface PolicyFile {
  readonly settings: unknown
  readonly pin: PolicyPin | null
  readonly evidence: unknown
}

/** The command. */
export const calibrateCommand = command({
  name: 'calibrate',
  about: 'Sets the thresholds of a collection from labelled questions, at an error rate that you state.',
  usage: [
    'calibrate <labels.jsonl|labels.csv> [--collection <id>] [--risk .05] [--certainty .9] [--out policy.json]',
    'calibrate <labels> --hidden-gold [--collection <id>]',
  ],
  notes: [
    'Questions are judged and not answered: no model is called, nothing is cached or counted. The key needs the scopes',
    'ingest and admin.',
    '--hidden-gold needs answerable questions only, each with relevant_ids: what answers them is left out of the search,',
    'and the question should then be refused. The result is a file for `rag-gate policy push`; nothing changes before.',
    'Exit code 1 when the labels are too few for the promise.',
  ],
  options: {
    collection: { type: 'string', value: 'id', about: 'the collection, one at a time; "default" otherwise' },
    risk: { type: 'string', value: 'share', about: 'questions to be refused that may be answered; .05' },
    'caution-risk': {
      type: 'string',
      value: 'share',
      about: 'those that may be answered without a caution; half of --risk',
    },
    certainty: { type: 'string', value: 'share|average', about: 'how sure that must be; .9' },
    'hidden-gold': { type: 'boolean', about: 'make the questions to be refused from the answerable ones' },
    fit: {
      type: 'string',
      value: 'what',
      about: 'weights or thresholds; weights only where a reranker or model gave scores',
    },
    name: { type: 'string', value: 'name', about: 'name of the policy; that of the collection otherwise' },
    out: { type: 'string', value: 'file', about: 'where the policy is written; policy.json' },
    results: {
      type: 'string',
      value: 'file',
      about: 'where judgements are kept: a run that was stopped goes on there',
    },
    parallel: { type: 'string', value: 'n', about: 'questions at a time, 1 to 16; 4' },
  },
  async run({ terminal, words, given, json, gate }) {
    const path = only(words, 'a file of labelled questions')
    const { collection = 'default', 'hidden-gold': hidden, out = 'policy.json', results, fit } = given
    if (fit !== undefined && fit !== 'weights' && fit !== 'thresholds') {
      throw misused('--fit must be weights or thresholds')
    }
    const risk = shareOf('--risk', given.risk, 0.05)
    const certainty = given.certainty === 'average' ? 'average' : shareOf('--certainty', given.certainty, 0.9)
    const cautionRisk = shareOf('--caution-risk', given['caution-risk'], risk / 2)
    if (certainty !== 'average' && certainty < 0.5) throw misused('--certainty must be .5 or more, or average')
    const name = given.name ?? nameOf(collection)
    if (!isName(name)) throw misused('--name must have 1 to 40 of a-z, 0-9 and -')
    if (cautionRisk > risk) throw misused('--caution-risk must not be above --risk')
    requireOtherFiles(path, { '--out': out, '--results': results })
    const labels = eachOnce(ofCollection(await readLabels(path), collection), terminal)
    const address = gate()
    await requireWritable(out)
    const { pin, policy } = await placeOf(address, collection)
    const asking = {
      gate: address,
      collection,
      parallel: wholeNumber('--parallel', given.parallel, 4, 1, 16),
      mode: 'judgements' as const,
      about: { ...pin, policy },
      ...(results === undefined ? {} : { results }),
    }
    const measured = hidden ? await withHiddenGold(labels, asking, terminal) : await askLabels(labels, asking, terminal)
    const after = await placeOf(address, collection)
    if (pinDifferences(pin, after.pin).length > 0) {
      throw new CommandError('The collection or its reader changed while it was measured: begin again')
    }
    const unread = measured.filter(readerFailed).length
    if (unread > 0) {
      const again =
        results === undefined ? 'run it again' : `run it again with --results ${results}: only these are asked`
      throw new CommandError(
        `The reader failed on ${unread} of ${measured.length} questions, which says nothing of them: ${again}`,
      )
    }
    const calibration = calibrated(measured.map(labelOf), {
      name,
      risk,
      cautionRisk,
      certainty,
      ...(fit === undefined ? {} : { fit }),
      about: `${path}${hidden ? ', hidden gold' : ''}`,
    })
    if (calibration.kind !== 'calibrated') {
      if (json) terminal.out(jsonText(calibration))
      else terminal.out({ text: calibration.statement, colour: 'yellow' })
      if (calibration.kind === 'too-few-labels') terminal.note(moreLabels(calibration, risk, certainty, hidden))
      return 1
    }
    const evidence = evidenceOf(calibration, measured, hidden)
    const file: PolicyFile = { settings: policySettings(calibration.policy), pin, evidence }
    await writeFile(out, `${JSON.stringify(file, undefined, 2)}\n`).catch(notWritten(out))
    if (json) terminal.out(jsonText({ policy: calibration.policy.id, out, pin, evidence }))
    else show(calibration, evidence, measured, out, terminal)
    return 0
  },
})

/** @throws `CommandError` if the labels cannot be used */
function calibrated(...given: [labels: readonly CalibrationLabel[], options: CalibrateOptions]): Calibration {
  try {
    return calibratePolicy(balanced(), ...given)
  } catch (thrown) {
    throw isRagGateError(thrown) ? new CommandError(thrown.message) : thrown
  }
}

type Calibrated = Extract<Calibration, { kind: 'calibrated' }>
type Asking = Parameters<typeof askLabels>[1]

/** Asks each answerable question twice: normally, and without the passages that answer it. */
async function withHiddenGold(labels: readonly Label[], asking: Asking, terminal: Terminal): Promise<LabelResult[]> {
  const answerable = labels.filter((label) => label.answerable)
  const without = answerable.filter(({ relevantIds }) => relevantIds.length > 0)
  if (without.length === 0) throw misused('--hidden-gold needs answerable questions with relevant_ids')
  if (without.length < answerable.length) {
    terminal.note(`${answerable.length - without.length} answerable questions have no relevant_ids: they take no part.`)
  }
  const seen = await askLabels(without, asking, terminal)
  // Passages that were not found cannot be hidden: their ids may be wrong, and the question would still be answered.
  const found = without.filter((_, at) => seen[at]?.found === true)
  if (found.length < without.length) {
    const lost = without.filter((_, at) => seen[at]?.found !== true).map(({ question }) => `\n  ${oneLine(question)}`)
    terminal.note(
      `No relevant passage was found for ${lost.length} of ${without.length} questions, which count as answerable alone. Are their relevant_ids those of this collection?${lost.slice(0, SHOWN).join('')}`,
    )
  }
  const hidden = await askLabels(found, { ...asking, without: ({ relevantIds }) => relevantIds }, terminal)
  return [...seen, ...hidden.map((result) => ({ ...result, answerable: false, kind: 'hidden-gold' }))]
}

function labelOf({ signals, answerable, question }: LabelResult): CalibrationLabel {
  return { signals, answerable, group: question }
}

function ofCollection(labels: readonly Label[], collection: string): readonly Label[] {
  const those = labels.filter((label) => (label.collection ?? collection) === collection)
  if (those.length === 0) throw misused(`No label is for the collection ${collection}`)
  return those
}

/**
 * Each question once, with everything that answers it: the guarantee takes labels as independent.
 *
 * @throws `CommandError` for a question labelled both ways, once with its collection and once without
 */
function eachOnce(labels: readonly Label[], { note }: Pick<Terminal, 'note'>): readonly Label[] {
  const once = new Map<string, Label>()
  for (const label of labels) {
    const question = normaliseQuestion(label.question)
    const earlier = once.get(question) ?? label
    if (earlier.answerable !== label.answerable) {
      throw misused(`The same question is labelled as answerable and as not: ${question}`)
    }
    once.set(question, { ...earlier, relevantIds: [...new Set([...earlier.relevantIds, ...label.relevantIds])] })
  }
  const repeated = labels.length - once.size
  if (repeated > 0) note(`${repeated} of ${labels.length} labels repeat a question: each question counts once.`)
  return [...once.values()]
}

/** What a policy of the collection is pinned to, and the one chosen for it. */
async function placeOf(
  gate: GateAddress,
  collection: string,
): Promise<{ readonly pin: PolicyPin; readonly policy: string | null }> {
  interface Listed extends Omit<PolicyPin, 'collection'> {
    readonly id: string
    readonly policy: string | null
  }
  const reply = await callGate<{ collections: readonly Listed[] }>(gate, 'GET', '/v1/collections')
  const { collections } = requireForm(reply, COLLECTIONS)
  const found = collections.find(({ id }) => id === collection)
  if (found === undefined) throw new CommandError(`There is no collection ${collection}: --collection names another`)
  const { embedding_model, dimension, lexicon_id, reader, corpus_version, policy } = found
  if (reader === undefined)
    throw new CommandError('This gate is of an older version: it does not tell what a policy is pinned to')
  return { pin: { collection, embedding_model, dimension, lexicon_id, reader, corpus_version }, policy }
}

/** Whether a policy may have this name. */
function isName(name: string): boolean {
  try {
    definePolicy({ ...balanced(), name })
    return true
  } catch (thrown) {
    if (isRagGateError(thrown)) return false
    throw thrown
  }
}

/** Policy names consist of lower-case letters, digits and hyphens. */
function nameOf(collection: string): string {
  const name = collection
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return (name === '' ? 'calibrated' : name).slice(0, 40)
}

/** Maximum number of questions to list. */
const SHOWN = 5
/** Below this share of answered answerable questions, the command suggests how to answer more. */
const FEW_ANSWERED = 0.3

/** What the guarantee is based on, and what it does not cover. */
interface Evidence {
  readonly made: string
  readonly from: 'labels of both kinds' | 'hidden gold'
  readonly statement: string
  readonly labels: Calibrated['labels']
  readonly fit: Calibrated['fit']
  /** Questions whose passages were scored by a reranker or grading model. */
  readonly read: MeasuredRate
  /** Range in which a reranker is worth its cost; absent if one was used, or lexical confidence alone suffices. */
  readonly middle?: readonly [from: number, below: number]
  readonly refuse: Calibrated['refuse']
  readonly caution: Calibrated['caution'] | null
  readonly coverage: Calibrated['coverage']
  readonly kinds: Readonly<Record<string, number>>
  readonly covers: string
  /** Answerable questions among the labels that the current policy answers. */
  readonly answered_now: MeasuredRate
  /** Number of answerable questions drafted from documents; a guarantee for them covers no other questions. */
  readonly drafted: number
  /** For hidden gold: share of questions with a passage nearly as good as the hidden one, 0..1. */
  readonly near_misses?: { readonly share: number; readonly low: number; readonly high: number; readonly of: number }
  readonly score_kinds: readonly string[]
  /** Number of questions by twentieths of the policy's confidence, ascending, for comparison with live questions. */
  readonly confidence_histogram: readonly number[]
}

function evidenceOf(calibration: Calibrated, measured: readonly LabelResult[], hidden: boolean): Evidence {
  const { statement, labels, fit, refuse, caution, coverage } = calibration
  const kinds: Record<string, number> = {}
  for (const { answerable, kind } of measured) if (!answerable) kinds[kind] = (kinds[kind] ?? 0) + 1
  const asked = measured.filter(({ answerable }) => answerable)
  const words = unscaled(balanced().confidence)
  const byWords = measured.map(({ answerable, signals }) => ({
    answerable,
    confidence: confidenceOf(words, signals),
  }))
  const middle = measured.some(({ signals }) => hasReaderScores(signals)) ? undefined : uncertainMiddle(byWords, refuse)
  const names = Object.entries(kinds).map(([kind, count]) => `${kind} (${count})`)
  return {
    made: new Date().toISOString(),
    from: hidden ? 'hidden gold' : 'labels of both kinds',
    statement,
    labels,
    fit,
    read: measuredRate(measured.filter(({ signals }) => hasReaderScores(signals)).length, measured.length),
    ...(middle && { middle }),
    refuse,
    caution: caution ?? null,
    coverage,
    kinds,
    covers: hidden
      ? 'Questions whose answer is not in the collection. Not near misses: questions about what the collection speaks of, that lack one fact of it'
      : `Questions to be refused like those labelled: ${names.join(', ')}; and no other kind`,
    answered_now: measuredRate(asked.filter(({ verdict }) => verdict !== 'refuse').length, asked.length),
    drafted: asked.filter(({ kind }) => DRAFTED_KINDS.has(kind)).length,
    ...(hidden ? { near_misses: nearMisses(measured) } : {}),
    confidence_histogram: histogramOf(
      measured.map(({ signals }) => confidenceOf(calibration.policy.confidence, signals)),
    ),
    score_kinds: [...new Set(measured.flatMap(({ signals }) => Object.keys(signals.curves ?? {})))].sort(),
  }
}

function histogramOf(confidences: readonly number[]): number[] {
  const bins = Array.from({ length: 20 }, () => 0)
  // A confidence that could not be computed counts as 0, as in a decision.
  for (const confidence of confidences) {
    const bin = Math.max(0, Math.min(19, Math.floor((Number.isNaN(confidence) ? 0 : confidence) * 20 + 1e-9)))
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  return bins
}

/** Questions whose confidence drops by less than a tenth when the passages that answer them are hidden. */
function nearMisses(measured: readonly LabelResult[]): NonNullable<Evidence['near_misses']> {
  const before = new Map(
    measured.flatMap((each) => (each.answerable ? [[each.question, each.confidence] as const] : [])),
  )
  const hidden = measured.filter(({ answerable }) => !answerable)
  const near = hidden.filter(({ question, confidence }) => confidence > 0.9 * (before.get(question) ?? 1)).length
  const { low, high } = binomialInterval(near, hidden.length)
  return { share: near / hidden.length, low, high, of: hidden.length }
}

function moreLabels(
  { labels, needed }: Extract<Calibration, { kind: 'too-few-labels' }>,
  risk: number,
  certainty: Calibrated['refuse']['certainty'],
  hidden: boolean,
): string {
  const possible =
    labels === 0 ? undefined : certainty === 'average' ? 1 / (labels + 1) : 1 - (1 - certainty) ** (1 / labels)
  const milder =
    possible === undefined || possible > 0.5
      ? ''
      : ` With these, --risk ${(Math.ceil(possible * 1000) / 1000).toFixed(3)} can be promised if none gets through.`
  const average =
    certainty !== 'average' && labels >= labelsNeeded(risk, 'average')
      ? ' --certainty average can keep it in the mean.'
      : ''
  const more = hidden
    ? `${needed - labels} more answerable questions with relevant_ids`
    : `${needed - labels} more questions to be refused`
  return `Label ${more} for --risk ${risk} with --certainty ${certainty}${hidden ? '' : ', or use --hidden-gold'}.${milder}${average}`
}

function show(
  calibration: Calibrated,
  evidence: Evidence,
  measured: readonly LabelResult[],
  out: string,
  { out: write }: Pick<Terminal, 'out'>,
): void {
  const { refuse, caution, adviseBelow, coverage, policy, fit, labels } = calibration
  const line = (name: string, value: string): void => write(`  ${name.padEnd(26)} ${value}`)
  const confidenceBy = ({ signals }: LabelResult): number => {
    const confidence = confidenceOf(policy.confidence, signals)
    return Number.isNaN(confidence) ? 0 : confidence
  }
  write({ text: `${policy.id} in ${out}`, colour: 'bold' })
  write(`\n${calibration.statement}.`)
  line('refuse below', refuse.threshold.toFixed(4))
  line('caution below', adviseBelow.toFixed(4))
  line('got through, labels', rateText(refuse.falseAcceptances))
  if (refuse.atMost > refuse.risk) line('at most, certainty .9', percent(refuse.atMost))
  line(
    'without a caution',
    caution === undefined ? 'no promise: too few labels for one' : `at most ${percent(caution.risk)}`,
  )
  line('answerable, answered', rateText(coverage))
  line('under the policy in use', rateText(evidence.answered_now))
  if (evidence.read.hits > 0) line('read by the reranker', `${evidence.read.hits} of ${evidence.read.labels} questions`)
  if (evidence.middle !== undefined) {
    const [from, below] = evidence.middle
    line('a reader is worth asking', `from ${from} below ${below} (RERANK_FROM, RERANK_BELOW)`)
  }
  line('fitted', fit === 'weights' ? 'weights around the general ones, and thresholds' : 'thresholds')
  const wrong = evidence.from === 'hidden gold' ? 'one that another passage answers' : 'a wrong label'
  write(`\nThe highest of those to be refused; ${wrong} among them moves the threshold:`)
  const judged = measured
    .filter(({ answerable }) => !answerable)
    .map((label) => ({ ...label, by: confidenceBy(label) }))
  for (const { by, kind, question } of judged.sort((one, other) => other.by - one.by).slice(0, SHOWN)) {
    write(`  ${by.toFixed(4)}  ${oneLine(kind)}  ${oneLine(question)}`)
  }
  write(`\nIt covers: ${evidence.covers}.`)
  const near = evidence.near_misses
  if (near !== undefined) {
    write(
      `Near misses: with the right passage gone, ${percent(near.share)} of the questions (${percent(near.low)} to ${percent(near.high)}) look as strong as before.`,
    )
  }
  if (evidence.drafted > 0) {
    write(
      `Drafted: ${evidence.drafted} of the ${labels.answerable} answerable questions come from the documents themselves. For what people ask that is no promise.`,
    )
  }
  if ((coverage.rate ?? 1) < FEW_ANSWERED) {
    const keepsMore = [
      evidence.from === 'hidden gold' ? 'labels of both kinds' : 'more questions to be refused',
      'a higher --risk',
      ...(refuse.certainty === 'average' ? [] : ['--certainty average']),
    ]
    const kept = coverage.hits === 0 ? 'It answers none of them' : 'It answers few'
    write({
      text: `${kept}: ${new Intl.ListFormat('en', { type: 'disjunction' }).format(keepsMore)} keep more.`,
      colour: 'yellow',
    })
  }
  write(`\nTry it: rag-gate policy push ${out} --use`)
}
