/** Charts as plain SVG, drawn at their display size. Each has a text alternative. */
import type { ByVerdict } from '../../src/d1/statistics/totals.ts'
import { type Child, el, number, percent, svg } from './dom.ts'

/** Verdicts, best first. */
export const VERDICTS = ['pass', 'advise', 'refuse'] as const

/** Draws at the available width, and again when it changes. */
function sized(className: string, draw: (width: number) => SVGElement): HTMLElement {
  const box = el('div', { className: `chart ${className}` })
  let width = 0
  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry!.contentRect.width)
    if (now === width || now < 40) return
    width = now
    box.replaceChildren(draw(width))
  }).observe(box)
  return box
}

/** A part of a chart that links to its decisions by pointer; texts beside it have the same links. */
function leading(address: string, ...children: readonly Child[]): SVGElement {
  const group = svg('g', { class: 'leading' }, ...children)
  group.addEventListener('click', () => (location.hash = address))
  return group
}

/** A round number not below the largest count, with an integer half. */
function niceCeiling(value: number): number {
  if (value <= 2) return 2
  const magnitude = 10 ** Math.floor(Math.log10(value))
  return [1, 1.6, 2, 4, 6, 8, 10].map((step) => step * magnitude).find((step) => step >= value) ?? value
}

/** Grid lines at zero, half and all of `most`, with their counts. */
function countLines(most: number, y: (value: number) => number, left: number, end: number): Child {
  return [0, most / 2, most].map((count) => [
    svg('line', { class: 'grid', x1: left, x2: end, y1: y(count), y2: y(count) }),
    svg('text', { class: 'axis', x: left - 8, y: y(count) + 4, 'text-anchor': 'end' }, number(count)),
  ])
}

/** Decisions of one hour or day. */
export interface SeriesPoint {
  readonly start: string
  readonly decisions: number
  readonly by_verdict: ByVerdict
}

interface TimeSeries {
  readonly points: readonly SeriesPoint[]
  readonly interval: 'hour' | 'day'
  /** Text alternative of the chart. */
  readonly label: string
  /** Link of a bar. */
  readonly linkOf: (point: SeriesPoint) => string
}

/** Decisions over time, stacked by verdict. */
export function timeSeries({ points, interval, label, linkOf }: TimeSeries): HTMLElement {
  const height = 220
  const [left, right, top, bottom] = [44, 4, 10, 26]
  return sized('series', (width) => {
    const most = niceCeiling(Math.max(...points.map(({ decisions }) => decisions), 0))
    const step = (width - left - right) / points.length
    const y = (value: number): number => top + (height - top - bottom) * (1 - value / most)
    const bars = points.map((point, at) => {
      let under = 0
      return leading(
        linkOf(point),
        svg('title', {}, tip(point, interval)),
        svg('rect', { class: 'hover', x: left + at * step, y: top, width: step, height: height - top - bottom }),
        VERDICTS.map((verdict) => {
          const count = point.by_verdict[verdict]
          if (count === 0) return undefined
          const bar = svg('rect', {
            class: `fill ${verdict}`,
            x: left + at * step + Math.min(1.5, step * 0.12),
            width: Math.max(1, step - Math.min(3, step * 0.24)),
            y: y(under + count),
            height: Math.max(0.5, y(under) - y(under + count)),
          })
          under += count
          return bar
        }),
      )
    })
    const every = Math.max(1, Math.ceil(points.length / Math.max(2, Math.floor(width / 110))))
    const ticks = points.flatMap((point, at) =>
      at % every === 0 && left + at * step < width - 50
        ? [svg('text', { class: 'axis', x: left + at * step, y: height - 8 }, tick(point.start, interval))]
        : [],
    )
    return svg(
      'svg',
      { width, height, role: 'img', 'aria-label': label },
      countLines(most, y, left, width - right),
      bars,
      ticks,
    )
  })
}

function tip({ start, by_verdict: by }: SeriesPoint, interval: 'hour' | 'day'): string {
  return `${tick(start, interval)}: ${by.pass} pass, ${by.advise} advise, ${by.refuse} refuse`
}

const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

function tick(start: string, interval: 'hour' | 'day'): string {
  const time = new Date(start)
  return interval === 'day' || time.getUTCHours() === 0 ? DAY.format(time) : HOUR.format(time)
}

/** Vertical lines in the histogram, with the heights of their names, because they may be next to each other. */
const THRESHOLDS = [
  ['tried', 12],
  ['advise', 27],
  ['refuse', 42],
] as const

/** Places of these lines, 0..1. */
export type Thresholds = Readonly<Record<(typeof THRESHOLDS)[number][0], number | undefined>>

interface Histogram {
  /** Decisions by twentieths of confidence, ascending. */
  readonly bins: readonly ByVerdict[]
  readonly thresholds: Thresholds
  /** Text alternative of the chart. */
  readonly label: string
  /** Link of a bin's bar. */
  readonly linkOf: (bin: number) => string
}

/** Confidence in twentieths, stacked by verdict, with thresholds. */
export function histogram({ bins, thresholds, label, linkOf }: Histogram): {
  readonly element: HTMLElement
  /** Draws other thresholds. */
  readonly move: (moved: Thresholds) => void
} {
  const height = 228
  const [left, right, top, bottom] = [44, 18, 52, 26]
  const box = sized('histogram', draw)
  let lines = thresholds

  function draw(width: number): SVGElement {
    const most = niceCeiling(Math.max(...bins.map(({ pass, advise, refuse }) => pass + advise + refuse), 0))
    const x = (value: number): number => left + (width - left - right) * value
    const y = (value: number): number => top + (height - top - bottom) * (1 - value / most)
    const bars = bins.map((bin, at) => {
      let under = 0
      const range = `${(at / 20).toFixed(2)} to ${((at + 1) / 20).toFixed(2)}`
      return leading(
        linkOf(at),
        svg('title', {}, `${range}: ${bin.pass} pass, ${bin.advise} advise, ${bin.refuse} refuse`),
        svg('rect', { class: 'hover', x: x(at / 20), y: top, width: x(0.05) - left, height: height - top - bottom }),
        VERDICTS.map((verdict) => {
          if (bin[verdict] === 0) return undefined
          const bar = svg('rect', {
            class: `fill ${verdict}`,
            x: x(at / 20) + 1,
            width: Math.max(1, x(0.05) - left - 2),
            y: y(under + bin[verdict]),
            height: Math.max(0.5, y(under) - y(under + bin[verdict])),
          })
          under += bin[verdict]
          return bar
        }),
      )
    })
    return svg(
      'svg',
      { width, height, role: 'img', 'aria-label': label },
      countLines(most, y, left, width - right),
      bars,
      [0, 0.25, 0.5, 0.75, 1].map((at) =>
        svg('text', { class: 'axis', x: x(at), y: height - 8, 'text-anchor': 'middle' }, at.toFixed(2)),
      ),
      THRESHOLDS.map(([kind, nameHeight]) => {
        const at = lines[kind]
        if (at === undefined) return undefined
        return [
          svg('line', { class: `threshold ${kind}`, x1: x(at), x2: x(at), y1: top - 4, y2: height - bottom }),
          svg(
            'text',
            {
              class: `axis name ${kind}`,
              x: x(at) + (at > 0.8 ? -4 : 4),
              y: nameHeight,
              'text-anchor': at > 0.8 ? 'end' : 'start',
            },
            kind,
          ),
        ]
      }),
    )
  }

  return {
    element: box,
    move(moved) {
      lines = moved
      if (box.isConnected) box.replaceChildren(draw(Math.floor(box.getBoundingClientRect().width)))
    },
  }
}

/** A line without axes, for a trend from 0 to 1. */
export function sparkline(values: readonly number[], label: string): SVGElement {
  const [width, height] = [120, 28]
  const x = (at: number): number => (values.length < 2 ? width / 2 : 4 + ((width - 8) * at) / (values.length - 1))
  const y = (value: number): number => 4 + (height - 8) * (1 - value)
  return svg(
    'svg',
    { class: 'spark', width, height, role: 'img', 'aria-label': label },
    svg('line', { class: 'grid', x1: 0, x2: width, y1: y(0.5), y2: y(0.5) }),
    values.length > 1 &&
      svg('polyline', { class: 'line', points: values.map((value, at) => `${x(at)},${y(value)}`).join(' ') }),
    svg('circle', { class: 'dot', cx: x(values.length - 1), cy: y(values.at(-1) ?? 0), r: 3 }),
  )
}

/** Names with bars, in the given order; the label of a name may be a link. */
export function bars(
  entries: readonly (readonly [name: string, count: number, shown?: Child])[],
  total: number,
  kindOf: (name: string) => string = () => '',
): HTMLElement {
  const most = Math.max(...entries.map(([, count]) => count), 1)
  return el(
    'ul',
    { className: 'bars' },
    entries.map(([name, count, shown = name]) => {
      const bar = el('i', { className: kindOf(name) })
      bar.style.width = `${(count / most) * 100}%`
      return el(
        'li',
        {},
        el('span', { className: 'name' }, shown),
        el('span', { className: 'number' }, number(count)),
        el('span', { className: 'number quiet' }, total ? percent(count, total) : ''),
        el('span', { className: 'bar', 'aria-hidden': 'true' }, bar),
      )
    }),
  )
}

/** Legend of the verdicts' colours. */
export function legend(): HTMLElement {
  return el(
    'ul',
    { className: 'legend', 'aria-label': 'Colours' },
    VERDICTS.map((verdict) =>
      el('li', {}, el('i', { className: `swatch ${verdict}` }), verdict.charAt(0).toUpperCase() + verdict.slice(1)),
    ),
  )
}
