/** The report of `rag-gate eval` as an HTML page: figures, plots and wrongly judged questions. */
import type { Evaluation, Figure, MeasuredRate, VerdictRates } from '@hono-rag-gate/calibration'
import { commonThreshold, type LabelResult } from './judged-labels.ts'
import { escaped, plot } from './plots.ts'
import { printable } from './terminal.ts'

/** Content of the page. */
export interface EvaluationPage {
  readonly title: string
  readonly evaluation: Evaluation
  readonly results: readonly LabelResult[]
  readonly facts: readonly (readonly [name: string, value: string])[]
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5c6776;--line:#e3e7ec;--ground:#f6f7f9;--card:#fff;--c1:#0b6e99;--c2:#d9730d;--c3:#3f8f58;--c4:#8a5cb5;--bad:#b3423f}
@media(prefers-color-scheme:dark){:root{--ink:#e8ebf0;--soft:#9aa5b4;--line:#2c3440;--ground:#12161c;--card:#1a2029;--c1:#4fb3dc;--c2:#f0a052;--c3:#6cc588;--c4:#b894dd;--bad:#e57f7b}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1120px;margin:0 auto;padding:32px 20px 64px}h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:36px 0 12px}
p.lead{color:var(--soft);margin:0 0 20px}.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(210px,1fr));gap:12px}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px}.card b{display:block;font-size:26px;font-variant-numeric:tabular-nums}
.card span{color:var(--soft);font-size:13px;display:block}.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(460px,100%),1fr));gap:16px}
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px}svg{width:100%;height:auto;display:block;font-size:12px;fill:var(--soft)}
svg .title{font-size:15px;font-weight:600;fill:var(--ink)}svg .grid{stroke:var(--line)}svg .mark{stroke:var(--soft);stroke-dasharray:5 4}svg .mark-name{fill:var(--ink);stroke:var(--card);stroke-width:4px;paint-order:stroke}
.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.band{opacity:.16}
.s1,.s2,.s3,.s4{fill:none;stroke-width:2.2}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}.s4{stroke:var(--c4)}
.table{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:10px}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:8px 14px;border-bottom:1px solid var(--line);vertical-align:top}tr:last-child td{border-bottom:0}th{font-size:13px;color:var(--soft);font-weight:600}td.n{font-variant-numeric:tabular-nums;white-space:nowrap}td:first-child{min-width:11rem}small{color:var(--soft)}.table+p.lead{margin-top:24px}
@media(max-width:600px){main{padding:20px 12px 40px}svg{font-size:15px}svg .title{font-size:18px}.cards{grid-template-columns:1fr 1fr}.card{padding:10px 12px}th,td{padding:6px;font-size:13px}td.n{white-space:normal}td.n small{display:block}td:first-child{min-width:6rem}}
`

/** Makes a self-contained page, without scripts or external resources. */
export function evaluationPage({ title, evaluation, results, facts }: EvaluationPage): string {
  const { verdicts, auroc, aurc, calibrationError, atStatedRisk } = evaluation
  const coverage: Figure = {
    // Not finite without questions of a kind.
    value: Number.isFinite(atStatedRisk.coverage + atStatedRisk.falseAcceptance) ? atStatedRisk.coverage : null,
    ...(atStatedRisk.coverageInterval === undefined ? {} : { interval: atStatedRisk.coverageInterval }),
  }
  const cards = [
    rateCard('False acceptance', 'should have been refused, and were answered', verdicts.falseAcceptances),
    rateCard('False refusal', 'answerable, and were refused', verdicts.falseRefusals),
    rateCard('Refusal accuracy', 'should have been refused, and were', verdicts.refusalAccuracy),
    figureCard('AUROC', 'how well the confidence tells the two apart', auroc),
    figureCard(
      `Coverage at ${percent(atStatedRisk.risk)}`,
      'the best threshold on these labels: no promise',
      coverage,
      percent,
    ),
    figureCard('Calibration error', 'distance of confidence and share', calibrationError),
    figureCard('AURC', 'mean risk over all coverages; lower is better', aurc),
  ]
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${text(title)}</title><style>${STYLE}</style></head><body><main>
<h1>${text(title)}</h1><p class="lead">${facts.map(([name, value]) => `${text(name)}: ${text(value)}`).join(' · ')}</p>
<section class="cards">${cards.join('')}</section>
<h2>How the confidence does</h2><section class="plots">${plotsOf(evaluation, results).join('')}</section>
<h2>By kind</h2>${ratesTable('kind', evaluation.byKind)}
${Object.keys(evaluation.byCollection).length > 1 ? `<h2>By collection</h2>${ratesTable('collection', evaluation.byCollection)}` : ''}
<h2>Answered, and should have been refused</h2>${questionTable(worst(results, false))}
<h2>Refused, and should have been answered</h2>${questionTable(worst(results, true))}
<p class="lead">Rates have exact (Clopper–Pearson) 95 % intervals; AUROC has a score interval, the calibration error one from the exact intervals of its bins, the other figures bootstrap intervals.</p>
</main></body></html>
`
}

function plotsOf(evaluation: Evaluation, results: readonly LabelResult[]): string[] {
  const { riskCoverage, reliability, sensitivity } = evaluation
  const [refuseBelow, adviseBelow] = [commonThreshold(results, 'refuseBelow'), commonThreshold(results, 'adviseBelow')]
  const marks = [
    ...(refuseBelow === undefined ? [] : [{ x: refuseBelow, name: 'refuse below' }]),
    ...(adviseBelow === undefined || adviseBelow === refuseBelow ? [] : [{ x: adviseBelow, name: 'caution below' }]),
  ]
  const bins = 20
  const histogram = (answerable: boolean): { x: number; y: number }[] =>
    Array.from({ length: bins }, (_, bin) => ({
      x: (bin + 0.5) / bins,
      y: results.filter(
        (result) =>
          result.answerable === answerable && Math.min(bins - 1, Math.floor(result.confidence * bins)) === bin,
      ).length,
    }))
  const bars = [
    { name: 'answerable', colour: 1, shape: 'bars' as const, points: histogram(true) },
    { name: 'should be refused', colour: 2, shape: 'bars' as const, points: histogram(false) },
  ]
  // Near 1 or 0, points around the threshold may be outside the range of confidences.
  const tried = sensitivity?.points.filter(({ threshold }) => threshold >= 0 && threshold <= 1) ?? []
  const highest = Math.max(1, ...bars.flatMap(({ points }) => points.map(({ y }) => y)))
  const worstRisk = Math.max(0.05, ...riskCoverage.map(({ risk }) => risk))
  return [
    plot({
      title: 'Confidence of each question',
      xTitle: 'confidence',
      yTitle: 'questions',
      series: bars,
      // A multiple of four, so that every tick is a whole number.
      yRange: [0, 4 * Math.ceil(highest / 4)],
      yUnit: 'counts',
      marks,
    }),
    plot({
      title: 'Risk against coverage',
      xTitle: 'share of all questions answered',
      yTitle: 'wrong among those answered',
      yRange: [0, Math.min(1, Math.ceil(worstRisk * 10) / 10)],
      series: [
        {
          name: 'by falling confidence',
          colour: 1,
          shape: 'line',
          points: riskCoverage.map(({ coverage, risk }) => ({ x: coverage, y: risk })),
        },
      ],
    }),
    ...(tried.length < 2
      ? []
      : [
          plot({
            title: 'What another threshold would do',
            xTitle: 'threshold',
            yTitle: 'rate',
            xRange: [tried[0]?.threshold ?? 0, tried.at(-1)?.threshold ?? 1],
            marks: marks.slice(0, 1),
            series: (
              [
                ['false acceptance', 2, 'falseAcceptances'],
                ['false refusal', 1, 'falseRefusals'],
              ] as const
            ).map(([name, colour, rate]) => ({
              name,
              colour,
              points: tried.map((point) => ({ x: point.threshold, y: point[rate].rate ?? 0 })),
              bounds: tried.map((point) => point[rate]),
            })),
          }),
        ]),
    plot({
      title: 'Is a confidence what it says?',
      xTitle: 'confidence, mean of a bin',
      yTitle: 'share that is answerable',
      diagonal: true,
      series: [
        {
          name: 'bins of the same size, 95 % intervals',
          colour: 3,
          shape: 'dots',
          points: reliability.map(({ confidence, answerable }) => ({ x: confidence, y: answerable })),
          bounds: reliability,
        },
      ],
    }),
  ]
}

function worst(results: readonly LabelResult[], answerable: boolean): LabelResult[] {
  const wrong = results.filter(
    (result) => result.answerable === answerable && (result.verdict === 'refuse') === answerable,
  )
  return wrong.sort((one, other) => (one.confidence - other.confidence) * (answerable ? 1 : -1))
}

/** Maximum number of wrongly judged questions to list. */
const SHOWN = 25

function questionTable(results: readonly LabelResult[]): string {
  if (results.length === 0) return '<p class="lead">None.</p>'
  const rows = results
    .slice(0, SHOWN)
    .map(
      ({ question, kind, verdict, confidence, reason }) =>
        `<tr><td>${text(question)}</td><td>${text(kind)}</td><td>${text(reason === 'passed' ? verdict : `${verdict}, ${reason}`).replaceAll('_', '_<wbr>')}</td><td class="n">${confidence.toFixed(3)}</td></tr>`,
    )
  const some = results.length > SHOWN ? `<p class="lead">The worst ${SHOWN} of ${results.length}.</p>` : ''
  return `${some}<div class="table"><table><tr><th>question</th><th>kind</th><th>verdict</th><th>confidence</th></tr>${rows.join('')}</table></div>`
}

function ratesTable(of: string, rates: Readonly<Record<string, VerdictRates>>): string {
  const rows = Object.entries(rates).map(
    ([name, { falseAcceptances, uncautioned, falseRefusals }]) =>
      `<tr><td>${text(name)}</td>${[falseAcceptances, uncautioned, falseRefusals].map((rate) => `<td class="n">${rateCell(rate)}</td>`).join('')}</tr>`,
  )
  return `<div class="table"><table><tr><th>${of}</th><th>false acceptance</th><th>of it without a caution</th><th>false refusal</th></tr>${rows.join('')}</table></div>`
}

function rateCell({ rate, hits, labels, low, high }: MeasuredRate): string {
  return rate === null
    ? 'n/a'
    : `${percent(rate)} <small>${hits} of ${labels}, ${percent(low)}–${percent(high)}</small>`
}

function rateCard(name: string, about: string, { rate, hits, labels, low, high }: MeasuredRate): string {
  const figures = rate === null ? 'no such questions' : `${hits} of ${labels}, ${percent(low)} to ${percent(high)}`
  return `<div class="card"><span>${name}</span><b>${rate === null ? 'n/a' : percent(rate)}</b><span>${figures}</span><span>${about}</span></div>`
}

function figureCard(
  name: string,
  about: string,
  { value, interval }: Figure,
  asText = (figure: number): string => figure.toFixed(3),
): string {
  const shown = value === null ? 'n/a' : asText(value)
  const bounds =
    interval === undefined ? 'needs questions of both kinds' : `${asText(interval.low)} to ${asText(interval.high)}`
  return `<div class="card"><span>${name}</span><b>${shown}</b><span>${bounds}</span><span>${about}</span></div>`
}

function percent(share: number): string {
  // A non-breaking space keeps the percent sign on the same line.
  return `${Number((share * 100).toFixed(1))}\u00a0%`
}

/** Removes characters that could change the reading direction or be invisible, and escapes the rest. */
function text(value: string): string {
  return escaped(printable(value))
}
