/**
 * `npm run bench -- reading [-- form [words]]`: how the time to read a document grows with its length, for documents
 * that an attacker might write to make it superlinear: HTML, Markdown, MDX and plain text, each read as in the ready
 * Worker and the command line.
 *
 * Each kind is read at five lengths, from 4,000 characters to a million, each four times the previous one. The exponent
 * is the slope of the regression of log CPU time on log length, over lengths that take at least two milliseconds: 1 is
 * linear, 2 quadratic. CPU time is that of the workerd process, the minimum of three runs, or one long one; it needs
 * Linux. Lengths at which the document is rejected are not used, but the time of the rejection is shown. Exits with 1
 * if an exponent is 1.3 or more.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../scripts/local-gate.ts'
import { bundleScript, inWorkerd } from '../scripts/in-workerd.ts'
import { markdownTable } from './markdown-table.ts'
import { type Family, FAMILIES, type Form } from './reading/families.ts'
import type { Reading } from './reading/worker.ts'
import { workerdCpuMs } from './workerd-cpu.ts'

const LENGTHS = [3_906, 15_625, 62_500, 250_000, 1_000_000]
/** Slow documents are read once, others this many times. */
const LONG_MS = 100
const RUNS = 3
/** Shorter times are dominated by the request itself. */
const SHORTEST_MS = 2
/** A kind that takes longer is not read at greater lengths. */
const LONGEST_MS = 8_000
const LINEAR = 1.3

interface Measured {
  readonly length: number
  readonly ms: number
  readonly refused?: string
}

/** Optional filters: one form, and words in the names of kinds. */
const [only, words = ''] = process.argv.slice(2)
const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-reading-'))
const script = join(directory, 'worker.mjs')
await bundleScript(join(ROOT, 'bench/reading/worker.ts'), script)
const miniflare = inWorkerd(script)
try {
  const url = await miniflare.ready
  const rows: string[][] = []
  let steep = 0
  for (const form of (Object.keys(FAMILIES) as Form[]).filter((name) => only === undefined || name === only)) {
    for (const [at, family] of FAMILIES[form].entries()) {
      if (!family.what.includes(words)) continue
      const measured = await measure(url, form, at)
      const { exponent, row } = lineOf(form, family, measured)
      if (exponent >= LINEAR) steep++
      rows.push(row)
      console.error(row.join('  '))
    }
  }
  console.log(markdownTable(['form', 'kind', 'exponent', 'ms at 250,000', 'ms at most', 'read up to', 'refused'], rows))
  console.log(`\n${rows.length} kinds, ${steep} of them with an exponent of ${LINEAR} or more`)
  process.exitCode = steep === 0 ? 0 : 1
} finally {
  await miniflare.dispose()
  rmSync(directory, { recursive: true })
}

async function measure(url: URL, form: Form, at: number): Promise<Measured[]> {
  const measured: Measured[] = []
  await ask(url, { form, at, length: LENGTHS[0]! })
  for (const length of LENGTHS) {
    let ms = Infinity
    let refused: string | undefined
    for (let run = 0; run < RUNS; run++) {
      const before = workerdCpuMs()
      // Slightly longer each time, so that nothing is cached.
      refused = await ask(url, { form, at, length: length + run })
      ms = Math.min(ms, workerdCpuMs() - before)
      if (ms > LONG_MS) break
    }
    measured.push({ length, ms, ...(refused === undefined ? {} : { refused }) })
    if (ms > LONGEST_MS) break
  }
  return measured
}

async function ask(url: URL, reading: Reading): Promise<string | undefined> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(reading) })
  if (!response.ok) throw new Error(`${reading.form} ${reading.at}: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { readonly refused?: string }).refused
}

function lineOf(form: Form, { what }: Family, measured: readonly Measured[]): { exponent: number; row: string[] } {
  const read = measured.filter(({ refused }) => refused === undefined)
  const long = read.filter(({ ms }) => ms >= SHORTEST_MS)
  const exponent = long.length < 3 ? Number.NaN : slope(long.map(({ length, ms }) => [Math.log(length), Math.log(ms)]))
  const refused = measured.filter((one) => one.refused !== undefined)
  const msAt = (one: Measured | undefined): string => one?.ms.toFixed(0) ?? '–'
  return {
    exponent,
    row: [
      form,
      what,
      Number.isNaN(exponent) ? '–' : exponent.toFixed(2),
      msAt(read.find(({ length }) => length === 250_000)),
      Math.max(...measured.map(({ ms }) => ms)).toFixed(0),
      (read.at(-1)?.length ?? 0).toLocaleString('en'),
      refused.length === 0 ? '' : `${refused[0]!.refused}, ${msAt(refused.at(-1))} ms`,
    ],
  }
}

function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const over = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0)
  return over / points.reduce((sum, [px]) => sum + (px - x) ** 2, 0)
}
