/** Charts as plain SVG, drawn at the size they are shown in. Each has a text for those who do not see it. */
import { el, number, percent, svg } from './dom.js'

const VERDICTS = ['pass', 'advise', 'refuse']

/** Draws at the width there is, and again whenever it changes. */
function sized(className, draw) {
  const box = el('div', { className: `chart ${className}` })
  let width = 0
  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width)
    if (now === width || now < 40) return
    width = now
    box.replaceChildren(draw(width))
  }).observe(box)
  return box
}

/** A round number not under the largest count, with a whole number half-way. */
function niceCeiling(value) {
  if (value <= 2) return 2
  const magnitude = 10 ** Math.floor(Math.log10(value))
  return [1, 1.6, 2, 4, 6, 8, 10].map((step) => step * magnitude).find((step) => step >= value) ?? value
}

/** Lines at nothing, half and all of `most`, each with its count. */
function countLines(most, y, left, end) {
  return [0, most / 2, most].map((count) => [
    svg('line', { class: 'grid', x1: left, x2: end, y1: y(count), y2: y(count) }),
    svg('text', { class: 'axis', x: left - 8, y: y(count) + 4, 'text-anchor': 'end' }, number(count)),
  ])
}

/** Decisions over time, stacked by verdict. */
export function timeSeries({ points, interval, label }) {
  const height = 220
  const [left, right, top, bottom] = [44, 4, 10, 26]
  return sized('series', (width) => {
    const most = niceCeiling(Math.max(...points.map(({ decisions }) => decisions), 0))
    const step = (width - left - right) / points.length
    const y = (value) => top + (height - top - bottom) * (1 - value / most)
    const bars = points.map((point, at) => {
      let under = 0
      return svg(
        'g',
        {},
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

function tip({ start, by_verdict: by }, interval) {
  return `${tick(start, interval)}: ${by.pass} pass, ${by.advise} advise, ${by.refuse} refuse`
}

const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
// Days are days of UTC.
const UTC_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

function tick(start, interval) {
  const time = new Date(start)
  if (interval === 'day') return UTC_DAY.format(time)
  return time.getHours() === 0 ? DAY.format(time) : HOUR.format(time)
}

/** Confidence in twentieths, stacked by verdict, with thresholds drawn in. */
export function histogram({ bins, thresholds, label }) {
  const height = 212
  const [left, right, top, bottom] = [44, 12, 36, 26]
  const box = sized('histogram', draw)
  let lines = thresholds

  function draw(width) {
    const most = niceCeiling(Math.max(...bins.map(({ pass, advise, refuse }) => pass + advise + refuse), 0))
    const x = (value) => left + (width - left - right) * value
    const y = (value) => top + (height - top - bottom) * (1 - value / most)
    const bars = bins.map((bin, at) => {
      let under = 0
      const range = `${(at / 20).toFixed(2)} to ${((at + 1) / 20).toFixed(2)}`
      return svg(
        'g',
        {},
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
      lines.map(({ at, name, kind }) => [
        svg('line', { class: `threshold ${kind}`, x1: x(at), x2: x(at), y1: top - 4, y2: height - bottom }),
        svg(
          'text',
          {
            class: `axis name ${kind}`,
            x: x(at) + (at > 0.8 ? -4 : 4),
            // On a line of its own: it may be moved next to another.
            y: kind === 'tried' ? 12 : 28,
            'text-anchor': at > 0.8 ? 'end' : 'start',
          },
          name,
        ),
      ]),
    )
  }

  return {
    element: box,
    move(moved) {
      lines = moved
      box.replaceChildren(draw(Math.floor(box.getBoundingClientRect().width)))
    },
  }
}

/** A line without axes, for a trend from 0 to 1. */
export function sparkline(values, label) {
  const [width, height] = [120, 28]
  const x = (at) => (values.length < 2 ? width / 2 : 4 + ((width - 8) * at) / (values.length - 1))
  const y = (value) => 4 + (height - 8) * (1 - value)
  return svg(
    'svg',
    { class: 'spark', width, height, role: 'img', 'aria-label': label },
    svg('line', { class: 'grid', x1: 0, x2: width, y1: y(0.5), y2: y(0.5) }),
    values.length > 1 &&
      svg('polyline', { class: 'line', points: values.map((value, at) => `${x(at)},${y(value)}`).join(' ') }),
    svg('circle', { class: 'dot', cx: x(values.length - 1), cy: y(values.at(-1) ?? 0), r: 3 }),
  )
}

/** Names with bars, the longest first. A name may be a button. */
export function bars(entries, total, kindOf = () => '') {
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

/** What the colours of the verdicts mean. */
export function legend() {
  return el(
    'ul',
    { className: 'legend', 'aria-label': 'Colours' },
    VERDICTS.map((verdict) =>
      el('li', {}, el('i', { className: `swatch ${verdict}` }), verdict.charAt(0).toUpperCase() + verdict.slice(1)),
    ),
  )
}
