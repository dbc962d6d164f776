/** Draws `docs/images/lifetimes.svg`: lifetimes of answers by confidence, under the default policy. */
import { writeFileSync } from 'node:fs'
import { lifetimeSeconds } from '../src/core/policy/lifetimes.ts'
import { balanced } from '../src/presets/balanced/balanced.ts'

const [WIDTH, HEIGHT, LEFT, TOP] = [640, 320, 70, 20]
const [PLOT_WIDTH, PLOT_HEIGHT] = [WIDTH - LEFT - 20, HEIGHT - TOP - 50]
const [SHORTEST, LONGEST] = [60, 100_000]
const STEPS = 500
const MARKS = [
  [60, '1 min'],
  [300, '5 min'],
  [3600, '1 h'],
  [21_600, '6 h'],
  [86_400, '24 h'],
] as const

const x = (confidence: number): number => round(LEFT + confidence * PLOT_WIDTH)
const y = (seconds: number): number =>
  round(TOP + PLOT_HEIGHT * (1 - Math.log(seconds / SHORTEST) / Math.log(LONGEST / SHORTEST)))
const round = (value: number): number => Math.round(value * 10) / 10

/** The plot as SVG: for passes the range with jitter, for advisories the maximum lifetime. */
export function lifetimePlot(): string {
  const policy = balanced()
  const { bands } = policy
  const confidences = Array.from({ length: STEPS + 1 }, (_, step) => step / STEPS).filter((at) => at >= bands.low)
  const line = (verdict: 'pass' | 'advise', jitter: number): string[] =>
    confidences.map((confidence) => {
      const seconds = lifetimeSeconds(policy, { verdict, confidence }, { jitter })
      return `${x(confidence)},${y(seconds)}`
    })
  const [full, jittered, advised] = [line('pass', 0), line('pass', 1), line('advise', 0)]
  const edges = Object.entries({ low: bands.low, medium: bands.medium, high: bands.high })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">
<title>Lifetime of an answer by confidence, policy balanced</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${MARKS.map(([seconds, text]) => `<path d="M${LEFT} ${y(seconds)}h${PLOT_WIDTH}" stroke="#ddd"/><text x="${LEFT - 8}" y="${y(seconds) + 4}" text-anchor="end">${text}</text>`).join('\n')}
${edges.map(([band, from], at) => `<path d="M${x(from)} ${TOP}v${PLOT_HEIGHT}" stroke="#999" stroke-dasharray="3 3"/><text x="${x(from) - 4}" text-anchor="end" y="${TOP + PLOT_HEIGHT - 12 - 16 * at}" fill="#555">${band} from ${from}</text>`).join('\n')}
<polygon points="${[...full, ...jittered.toReversed()].join(' ')}" fill="#8ab4f8" fill-opacity=".5"/>
<polyline points="${full.join(' ')}" fill="none" stroke="#1a56b0" stroke-width="2"/>
<polyline points="${advised.join(' ')}" fill="none" stroke="#b35900" stroke-width="2" stroke-dasharray="6 3"/>
<path d="M${LEFT} ${TOP}v${PLOT_HEIGHT}h${PLOT_WIDTH}" fill="none" stroke="#333"/>
${[0, 0.25, 0.5, 0.75, 1].map((at) => `<text x="${x(at)}" y="${TOP + PLOT_HEIGHT + 16}" text-anchor="middle">${at}</text>`).join('\n')}
<text x="${LEFT + PLOT_WIDTH / 2}" y="${HEIGHT - 8}" text-anchor="middle">confidence (solid: pass, with its jitter; dashed: advise; below ${bands.low}: not stored)</text>
</svg>
`
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(new URL('../docs/images/lifetimes.svg', import.meta.url), lifetimePlot())
}
