/** SVG plots for self-contained pages. Colours are defined by the page's style. */

/** A point; `y` is within the plot's axis. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** One line or area of a plot. */
export interface Series {
  readonly name: string
  /** 1..6: index of a colour of the page. */
  readonly colour: number
  readonly points: readonly Point[]
  /** How points are drawn; bars of several series are side by side. @default 'line' */
  readonly shape?: 'line' | 'steps' | 'dots' | 'bars'
  /** Error bounds of each point. @default none */
  readonly bounds?: readonly { readonly low: number; readonly high: number }[]
}

/** Content of a plot. */
export interface PlotOptions {
  readonly title: string
  readonly xTitle: string
  readonly yTitle: string
  readonly series: readonly Series[]
  /** Range of each axis. @default 0..1 */
  readonly xRange?: readonly [number, number]
  readonly yRange?: readonly [number, number]
  /** Unit of the y axis. @default 'shares' */
  readonly yUnit?: 'shares' | 'counts'
  /** Vertical lines, such as thresholds. @default none */
  readonly marks?: readonly { readonly x: number; readonly name: string }[]
  /** Draws the diagonal. @default none */
  readonly diagonal?: true
}

const WIDTH = 460
const HEIGHT = 250
const LEFT = 78
const TOP = 34
const BOTTOM = 74
/** A mark further right than this share of the width has its label on its left. */
const NAMED_RIGHT = 0.75

/** Draws a plot with title, axes and legend. */
export function plot(options: PlotOptions): string {
  const { title, xTitle, yTitle, series, xRange = [0, 1], yRange = [0, 1], yUnit = 'shares', marks = [] } = options
  const x = (value: number): number => LEFT + ((clamped(value, xRange) - xRange[0]) / (xRange[1] - xRange[0])) * WIDTH
  const y = (value: number): number =>
    TOP + HEIGHT - ((clamped(value, yRange) - yRange[0]) / (yRange[1] - yRange[0])) * HEIGHT
  const label = (value: number, unit: string): string =>
    unit === 'shares' ? `${Number((value * 100).toFixed(1))} %` : String(Math.round(value * 10) / 10)
  const ticks = (range: readonly [number, number]): number[] =>
    [0, 0.25, 0.5, 0.75, 1].map((part) => range[0] + part * (range[1] - range[0]))
  const grid = ticks(yRange).map(
    (tick) =>
      `<line class="grid" x1="${LEFT}" x2="${LEFT + WIDTH}" y1="${at(y(tick))}" y2="${at(y(tick))}"/><text x="${LEFT - 8}" y="${at(y(tick) + 4)}" text-anchor="end">${label(tick, yUnit)}</text>`,
  )
  const across = ticks(xRange).map(
    (tick) =>
      `<text x="${at(x(tick))}" y="${TOP + HEIGHT + 18}" text-anchor="middle">${Number(tick.toFixed(3))}</text>`,
  )
  // Labels are stacked, and to the left of lines near the right edge.
  const upright = marks.map((mark, index) => {
    const far = x(mark.x) > LEFT + NAMED_RIGHT * WIDTH
    const name = `x="${at(x(mark.x) + (far ? -5 : 5))}" y="${TOP + 12 + 16 * index}"${far ? ' text-anchor="end"' : ''}`
    return `<line class="mark" x1="${at(x(mark.x))}" x2="${at(x(mark.x))}" y1="${TOP}" y2="${TOP + HEIGHT}"/><text class="mark-name" ${name}>${escaped(mark.name)}</text>`
  })
  const bars = series.filter(({ shape }) => shape === 'bars')
  const drawn = series.map((one) =>
    one.shape === 'bars' ? drawBars(one, x, y, bars.indexOf(one), bars.length) : drawSeries(one, x, y),
  )
  const legend = series.map(
    ({ name, colour }, index) =>
      `<g transform="translate(${LEFT + (index % 2) * 230} ${TOP + HEIGHT + 52 + Math.floor(index / 2) * 18})"><rect class="c${colour}" width="12" height="12" y="-10" rx="2"/><text x="18">${escaped(name)}</text></g>`,
  )
  const diagonal =
    options.diagonal === true
      ? `<line class="mark" x1="${LEFT}" x2="${LEFT + WIDTH}" y1="${TOP + HEIGHT}" y2="${TOP}"/>`
      : ''
  const height = TOP + HEIGHT + BOTTOM + Math.ceil(series.length / 2) * 18 - 18
  return `<figure><svg viewBox="0 0 ${LEFT + WIDTH + 16} ${height}" role="img" aria-label="${escaped(title)}"><text class="title" x="${LEFT}" y="18">${escaped(title)}</text>${grid.join('')}${diagonal}${drawn.join('')}${upright.join('')}${across.join('')}<text x="${LEFT + WIDTH / 2}" y="${TOP + HEIGHT + 34}" text-anchor="middle" class="axis">${escaped(xTitle)}</text><text transform="translate(14 ${TOP + HEIGHT / 2}) rotate(-90)" text-anchor="middle" class="axis">${escaped(yTitle)}</text>${legend.join('')}</svg></figure>`
}

/** Draws bars; those of several series are side by side around each point. */
function drawBars(
  { points, colour }: Series,
  x: (value: number) => number,
  y: (value: number) => number,
  index: number,
  count: number,
): string {
  const [first, second] = points
  const width = first === undefined || second === undefined ? 20 : Math.abs(x(second.x) - x(first.x)) * 0.92
  return points
    .filter((point) => point.y > 0)
    .map(
      (point) =>
        `<rect class="c${colour}" x="${at(x(point.x) - width / 2 + (index * width) / count)}" y="${at(y(point.y))}" width="${at(width / count)}" height="${at(y(0) - y(point.y))}"/>`,
    )
    .join('')
}

function drawSeries(
  { points, colour, shape = 'line', bounds = [] }: Series,
  x: (value: number) => number,
  y: (value: number) => number,
): string {
  const whiskers =
    shape === 'dots'
      ? points.map((point, index) => {
          const bound = bounds[index]
          return bound === undefined
            ? ''
            : `<line class="s${colour}" x1="${at(x(point.x))}" x2="${at(x(point.x))}" y1="${at(y(bound.low))}" y2="${at(y(bound.high))}"/>`
        })
      : []
  if (shape === 'dots') {
    const dots = points.map(
      (point) => `<circle class="c${colour}" cx="${at(x(point.x))}" cy="${at(y(point.y))}" r="4"/>`,
    )
    return `${whiskers.join('')}${dots.join('')}`
  }
  const band =
    bounds.length === points.length && points.length > 1
      ? `<polygon class="c${colour} band" points="${[
          ...points.map((point, index) => `${at(x(point.x))},${at(y(bounds[index]?.high ?? point.y))}`),
          ...points.map((point, index) => `${at(x(point.x))},${at(y(bounds[index]?.low ?? point.y))}`).reverse(),
        ].join(' ')}"/>`
      : ''
  const path = points.map((point, index) => {
    const before = points[index - 1]
    const step = shape === 'steps' && before !== undefined ? `${at(x(point.x))},${at(y(before.y))} ` : ''
    return `${step}${at(x(point.x))},${at(y(point.y))}`
  })
  return `${band}<polyline class="s${colour}" points="${path.join(' ')}"/>`
}

/** Escapes text for HTML and SVG. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

function clamped(value: number, [low, high]: readonly [number, number]): number {
  return Math.min(high, Math.max(low, Number.isFinite(value) ? value : low))
}

function at(value: number): string {
  return value.toFixed(1)
}
