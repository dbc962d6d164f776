/** The figure of docs/internal/calibration-measured.md: realised false acceptance and coverage by number of labels. */
import type { Outcome } from './outcome.ts'

/** Content of the figure. */
export interface FigureOptions {
  readonly risk: number
  readonly sizes: readonly number[]
  readonly methods: readonly string[]
}

const COLOURS = ['#0b6e99', '#d9730d', '#4c9a5b', '#8a5cb5', '#7a7a7a', '#b3423f']
const WIDTH = 380
const HEIGHT = 250
const LEFT = 52
const TOP = 44

/** SVG with two panels; each dot is a family, each line the mean of the families. */
export function calibrationFigure(outcomes: readonly Outcome[], { risk, sizes, methods }: FigureOptions): string {
  const panels = [
    panel(0, 'False acceptance, realised', 0.3, (each) => each.falseAcceptance, risk),
    panel(1, 'Coverage: answerable questions kept', 1, (each) => each.coverage),
  ]
  const total = 2 * (WIDTH + LEFT) + 40
  const legend = methods.map(
    (method, at) =>
      `<g transform="translate(${LEFT + (at % 3) * 270} ${TOP + HEIGHT + 52 + Math.floor(at / 3) * 20})"><rect width="14" height="4" y="-5" fill="${COLOURS[at]}"/><text x="20">${method}</text></g>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${total} ${TOP + HEIGHT + 92}" font-family="system-ui, sans-serif" font-size="12" fill="#333"><rect width="100%" height="100%" fill="#fff"/>${panels.join('')}${legend.join('')}</svg>\n`

  function panel(column: number, title: string, most: number, of: (each: Outcome) => number, line?: number): string {
    const x = (n: number): number => ((sizes.indexOf(n) + 0.5) / sizes.length) * WIDTH
    const y = (value: number): number => HEIGHT - (Math.min(value, most) / most) * HEIGHT
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => part * most)
    const grid = ticks.map(
      (tick) =>
        `<line x2="${WIDTH}" y1="${y(tick)}" y2="${y(tick)}" stroke="#e5e5e5"/><text x="-8" y="${y(tick) + 4}" text-anchor="end">${Number((tick * 100).toFixed(1))} %</text>`,
    )
    const labels = sizes.map((n) => `<text x="${x(n)}" y="${HEIGHT + 18}" text-anchor="middle">${n}</text>`)
    const series = methods.map((method, at) => {
      const shift = (at - (methods.length - 1) / 2) * 9
      const those = outcomes.filter((each) => each.method === method && each.made > 0)
      const dots = those.map(
        (each) =>
          `<circle cx="${(x(each.n) + shift).toFixed(1)}" cy="${y(of(each)).toFixed(1)}" r="2.6" fill="${COLOURS[at]}" fill-opacity=".45"/>`,
      )
      const means = sizes.flatMap((n) => {
        const here = those.filter((each) => each.n === n)
        const mean = here.reduce((sum, each) => sum + of(each), 0) / here.length
        return here.length === 0 ? [] : [`${(x(n) + shift).toFixed(1)},${y(mean).toFixed(1)}`]
      })
      return `${dots.join('')}<polyline points="${means.join(' ')}" fill="none" stroke="${COLOURS[at]}" stroke-width="2"/>`
    })
    const stated =
      line === undefined
        ? ''
        : `<line x2="${WIDTH}" y1="${y(line)}" y2="${y(line)}" stroke="#333" stroke-dasharray="5 4"/><text x="${WIDTH - 4}" y="${y(line) - 5}" text-anchor="end">stated</text>`
    return `<g transform="translate(${LEFT + column * (WIDTH + LEFT + 20)} ${TOP})"><text y="-18" font-size="14" font-weight="600">${title}</text>${grid.join('')}${labels.join('')}<text x="${WIDTH / 2}" y="${HEIGHT + 36}" text-anchor="middle">labelled questions of each kind</text>${series.join('')}${stated}</g>`
  }
}
