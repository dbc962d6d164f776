/** `rag-gate eval`: asks a gate labelled questions and reports how it decides. */
import { writeFile } from 'node:fs/promises'
import {
  evaluate,
  type Evaluation,
  type Figure,
  type MeasuredRate,
  measuredRate,
  seededRandom,
  type VerdictRates,
} from '@hono-rag-gate/calibration'
import { normaliseQuestion } from 'hono-rag-gate/core/text'
import { misused, notWritten, requireWritable } from './command-error.ts'
import { command, only, wholeNumber } from './command.ts'
import { evaluationPage } from './eval-html.ts'
import { askLabels, commonThreshold, type LabelResult } from './judged-labels.ts'
import { readLabels, requireOtherFiles } from './labels.ts'
import { jsonText, type Terminal } from './terminal.ts'

/** The command. */
export const evalCommand = command({
  name: 'eval',
  about: 'Asks labelled questions and tells how often the gate is right, with intervals.',
  usage: ['eval <labels.jsonl|labels.csv> [--collection <id>] [--html report.html] [--results file.jsonl]'],
  notes: [
    'A label: {"question": "…", "answerable": true, "relevant_ids": ["…"], "kind": "…", "collection": "…"}; the last',
    'three may be left out. It needs a key with the scopes ask and admin. Questions are asked as callers ask them:',
    'answers are made, cached and counted, unless --judge-only asks for the judgements alone (scope admin).',
  ],
  options: {
    collection: { type: 'string', value: 'id', about: 'collection of labels that name none; "default" otherwise' },
    risk: { type: 'string', value: 'share', about: 'false acceptance at which the coverage is told; .05' },
    html: { type: 'string', value: 'file', about: 'a report with plots, one page that needs nothing else' },
    results: { type: 'string', value: 'file', about: 'where results are kept: a run that was stopped goes on there' },
    fresh: { type: 'boolean', about: 'forget the results that are there, and ask everything anew' },
    parallel: { type: 'string', value: 'n', about: 'questions at a time, 1 to 16; 4' },
    'judge-only': { type: 'boolean', about: 'no model is called, nothing is cached or counted' },
  },
  async run({ terminal, words, given, json, gate }) {
    const path = only(words, 'a file of labelled questions')
    const { collection = 'default', html, results, fresh, 'judge-only': judgeOnly } = given
    const risk = shareOf('--risk', given.risk, 0.05)
    requireOtherFiles(path, { '--html': html, '--results': results })
    const labels = await readLabels(path)
    if (html !== undefined) await requireWritable(html)
    const asked = await askLabels(
      labels,
      {
        gate: gate(),
        collection,
        parallel: wholeNumber('--parallel', given.parallel, 4, 1, 16),
        mode: judgeOnly ? 'judgements' : 'answers',
        ...(results === undefined ? {} : { results }),
        fresh,
      },
      terminal,
    )
    const policies = [...new Set(asked.map(({ policy }) => policy))]
    const judgedBy = [...new Set(asked.map(judgeOf))]
    if (!isJudgedAlike(asked)) {
      const again = results === undefined ? 'run it again' : '--fresh asks everything anew'
      terminal.note(`A collection was not judged alike throughout (${judgedBy.join('; ')}): ${again}.`)
    }
    const threshold = commonThreshold(asked, 'refuseBelow')
    const evaluation = evaluate(asked, {
      risk,
      ...(threshold === undefined ? {} : { threshold }),
      random: seededRandom(20_261_122),
    })
    const further = { repeated: repeatedIn(asked), recall: recallOf(asked), ms: timesOf(asked), policies, judgedBy }
    if (html !== undefined) {
      const facts = [
        ['questions', `${asked.length}${repeatedText(further)}`],
        ['policy', judgedBy.join('; ')],
        ['evidence found', rateText(further.recall)],
        ['median time', `${further.ms.median} ms`],
      ] as const
      await writeFile(
        html,
        evaluationPage({ title: `Evaluation of ${path}`, evaluation, results: asked, facts }),
      ).catch(notWritten(html))
    }
    if (json) terminal.out(jsonText({ ...evaluation, ...further }))
    else show(evaluation, further, terminal)
    return 0
  },
})

/** Parses a share. @throws `CommandError` unless above 0 and below 1 */
export function shareOf(option: string, given: string | undefined, otherwise: number): number {
  const value = given === undefined ? otherwise : Number(given)
  if (value > 0 && value < 1) return value
  throw misused(`${option} must be a number between 0 and 1, such as ${otherwise}`)
}

interface Further {
  /** Questions listed before for the same collection. Each counts, and intervals take all as independent. */
  readonly repeated: number
  /** Answerable questions with a relevant passage among the evidence. */
  readonly recall: MeasuredRate
  readonly ms: { readonly median: number; readonly p95: number }
  readonly policies: readonly string[]
  /** Each policy with what its confidences are based on. */
  readonly judgedBy: readonly string[]
}

/** The policy of a result, and whether its confidence was scaled: learning a scale changes no id. */
function judgeOf({ policy, calibration }: LabelResult): string {
  return calibration === undefined ? policy : `${policy}, ${calibration}`
}

/** Whether each collection was judged in one way: collections may have policies of their own. */
function isJudgedAlike(asked: readonly LabelResult[]): boolean {
  const judges = new Map(asked.map((result) => [result.collection, judgeOf(result)]))
  return asked.every((result) => judges.get(result.collection) === judgeOf(result))
}

function repeatedIn(asked: readonly LabelResult[]): number {
  const keys = asked.map(({ question, collection }) => JSON.stringify([normaliseQuestion(question), collection]))
  return keys.length - new Set(keys).size
}

function repeatedText({ repeated }: Pick<Further, 'repeated'>): string {
  return repeated === 0 ? '' : ` (${repeated} of them repeated)`
}

function recallOf(asked: readonly LabelResult[]): MeasuredRate {
  const known = asked.filter(({ answerable, found }) => answerable && found !== null)
  return measuredRate(known.filter(({ found }) => found === true).length, known.length)
}

function timesOf(asked: readonly LabelResult[]): Further['ms'] {
  const sorted = asked.map(({ ms }) => ms).sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { median: at(0.5), p95: at(0.95) }
}

function show(evaluation: Evaluation, further: Further, { out }: Pick<Terminal, 'out'>): void {
  const { recall, ms, judgedBy } = further
  const { verdicts, auroc, aurc, calibrationError, atStatedRisk, sensitivity, byKind, byCollection } = evaluation
  const line = (name: string, value: string): void => out(`  ${name.padEnd(30)} ${value}`)
  const asked = `${evaluation.questions} labelled questions${repeatedText(further)}`
  out({ text: `${asked}, policy ${judgedBy.join('; ')}`, colour: 'bold' })
  line('refusal accuracy', rateText(verdicts.refusalAccuracy))
  line('false refusal', rateText(verdicts.falseRefusals))
  line('false acceptance', rateText(verdicts.falseAcceptances))
  line('  of it without a caution', rateText(verdicts.uncautioned))
  line('evidence found', rateText(recall))
  line('AUROC', figureText(auroc))
  line('AURC', figureText(aurc))
  line('calibration error', figureText(calibrationError))
  const { coverage, falseAcceptance, coverageInterval: interval } = atStatedRisk
  // Not finite without questions of a kind.
  const value = Number.isFinite(coverage + falseAcceptance) ? coverage : null
  line(
    `best coverage at ${percent(atStatedRisk.risk)}`,
    value === null
      ? 'n/a'
      : `${figureText({ value, ...(interval && { interval }) }, percent)}; chosen on these labels, no promise`,
  )
  const steepest = sensitivity?.steepest
  if (steepest !== undefined && steepest.change > 0) {
    line('threshold matters most', `${steepest.from} to ${steepest.to}: ${percent(steepest.change)} of all questions`)
  }
  line('time, median and p95', `${ms.median} ms, ${ms.p95} ms`)
  for (const [title, groups] of [
    ['By kind', byKind],
    ['By collection', byCollection],
  ] as const) {
    if (Object.keys(groups).length < 2) continue
    out(`\n${title}`)
    for (const [name, rates] of Object.entries(groups)) line(name, groupText(rates))
  }
}

function groupText({ falseAcceptances, falseRefusals }: VerdictRates): string {
  return [
    ...(falseAcceptances.rate === null ? [] : [`false acceptance ${rateText(falseAcceptances)}`]),
    ...(falseRefusals.rate === null ? [] : [`false refusal ${rateText(falseRefusals)}`]),
  ].join(', ')
}

/** Formats a rate for people: `7.5 % (3 of 40, 1.6 % to 20.4 %)`, `n/a` without data. */
export function rateText({ rate, hits, labels, low, high }: MeasuredRate): string {
  return rate === null ? 'n/a' : `${percent(rate)} (${hits} of ${labels}, ${percent(low)} to ${percent(high)})`
}

function figureText({ value, interval }: Figure, asText = (figure: number): string => figure.toFixed(3)): string {
  if (value === null) return 'n/a'
  return interval === undefined
    ? asText(value)
    : `${asText(value)} (${asText(interval.low)} to ${asText(interval.high)})`
}

/** Formats a percentage with one decimal. */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`
}
