/** Decisions by hour or day, as a chart and as a table. */
import { linkTo, type Period, toDecisions } from '../address.ts'
import type { Point, Stats } from '../answers.ts'
import { legend, type SeriesPoint, timeSeries, VERDICTS } from '../charts.ts'
import { card, details, duration, el, figure, figures, money, number, scrolling, table } from '../dom.ts'
import { saveButton } from '../save-button.ts'
import { meanCost, spendingOf } from '../spending.ts'
import { fromCache } from './tiles.ts'

export function overTime(
  stats: Stats,
  asked: Record<string, string | number | undefined>,
  period: Period,
): HTMLElement {
  const points = filled(stats)
  const mean = meanCost(stats)
  const each = `Each bar is ${stats.interval === 'hour' ? 'an hour' : 'a day'}; all times are UTC.`
  const during = ({ start }: { readonly start: string }): Record<string, string> =>
    hoursOf(start, stats.interval, period)
  const linkOf = (point: { readonly start: string }): string => linkTo('decisions', during(point))
  const part = card(
    'Over time',
    el('div', { className: 'beside' }, legend(), el('span', { className: 'quiet' }, each)),
    timeSeries({
      points,
      interval: stats.interval,
      label: `Decisions by ${stats.interval}: ${stats.decisions} in all, ${stats.by_verdict.refuse} refused. The table below has every figure.`,
      linkOf,
    }),
    details(
      'series',
      'As a table',
      scrolling(
        'Decisions over time',
        table(
          'Decisions over time',
          [
            'From',
            ...figures(
              'Decisions',
              'Pass',
              'Advise',
              'Refuse',
              'From cache',
              'Avoided',
              'Saved',
              'Confidence',
              'Mean time',
            ),
          ],
          stats.series.map((point) => [
            el(
              'a',
              { href: linkOf(point) },
              point.start.slice(0, stats.interval === 'day' ? 10 : 16).replace('T', ' '),
            ),
            number(point.decisions),
            ...VERDICTS.map((verdict) => toDecisions(point.by_verdict[verdict], { ...during(point), verdict })),
            toDecisions(fromCache(point.by_cache), { ...during(point), cache: 'cached' }),
            number(point.savings.calls_avoided_by_refusal + point.savings.calls_avoided_by_cache),
            money(spendingOf(point, stats.prices, mean)?.net, stats.currency),
            figure(point.mean_confidence),
            duration(point.mean_total_ms),
          ]),
        ),
      ),
      saveButton('stats', asked, 'decisions-over-time.csv'),
    ),
  )
  part.classList.add('wide')
  return part
}

const spanOf = (interval: Stats['interval']): number => (interval === 'hour' ? 3_600_000 : 86_400_000)

/** The decisions of one hour or day, restricted to the period. */
function hoursOf(start: string, interval: Stats['interval'], { from, to }: Period): Record<string, string> {
  const end = new Date(Date.parse(start) + spanOf(interval)).toISOString()
  return { period: '', from: start > from ? start : from, to: end < to ? end : to }
}

/** All hours or days of the period, including those without decisions. */
function filled({ series, from, to, interval }: Stats): SeriesPoint[] {
  const spanMs = spanOf(interval)
  const known = new Map<number, Point>(series.map((point) => [Date.parse(point.start), point]))
  const [first, end] = [Date.parse(from), Date.parse(to)]
  return Array.from({ length: Math.round((end - first) / spanMs) }, (_, at) => {
    const startMs = first + at * spanMs
    const none = { start: new Date(startMs).toISOString(), decisions: 0, by_verdict: { pass: 0, advise: 0, refuse: 0 } }
    return known.get(startMs) ?? none
  })
}
