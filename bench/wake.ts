/**
 * The time of the first query to a namespace of client vectors after a restart, and of the following ones: the process
 * is restarted with the same files, so that the objects' memory is empty. In workerd, over local HTTP.
 *
 *   npm run bench -- wake [-- another checkout [sizes]]
 *
 * Before the first query the index's own object is queried, so that code and kernel are compiled. With another
 * checkout, such as an older one with its dependencies, both are measured in one run. Vectors are around 500 centres.
 * Median, minimum and 95th percentile; other load on the machine affects all but the minimum.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { anyPort } from '../scripts/local-gate.ts'
import type { LocalIndex, LocalIndexOptions } from '../scripts/local-index.ts'
import { markdownTable } from './markdown-table.ts'
import { seededRandom } from './seeded-random.ts'
import { workerdCpuMs } from './workerd-cpu.ts'

const DIMENSION = 384
const SIZES = '1000,20000,50000'
const COLD = 5
const WARM = 100
const PER_COMMAND = 500
/** Blocks are made about ten seconds after a write. */
const REST_MS = 16_000

const random = seededRandom(20_261_124)
const spread = () => random() + random() + random() - 1.5
const centres = Array.from({ length: 500 }, () => Array.from({ length: DIMENSION }, spread))

function vector(): number[] {
  const centre = centres[Math.floor(random() * centres.length)]!
  return centre.map((value) => Math.round((value + spread()) * 1e6) / 1e6)
}

async function post(index: LocalIndex, path: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${index.tokens.get('vectors')}` }
  const url = `${index.url}/indexes/vectors/${path}`
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (response.status !== 200) throw new Error(await response.text())
  return response.json()
}

interface Took {
  readonly ms: number
  /** CPU time of workerd. */
  readonly cpuMs: number
}

async function timed(index: LocalIndex): Promise<Took> {
  const body = { vector: vector(), topK: 10 }
  const [began, cpu] = [performance.now(), workerdCpuMs()]
  await post(index, 'query/n', body)
  return { ms: performance.now() - began, cpuMs: workerdCpuMs() - cpu }
}

const at = (times: readonly number[], share: number) => times[Math.floor(share * (times.length - 1))]!

/** Elapsed time and CPU time. */
function shown(took: readonly Took[]): readonly string[] {
  return [took.map(({ ms }) => ms), took.map(({ cpuMs }) => cpuMs)].map((times) => {
    times.sort((a, b) => a - b)
    return `${at(times, 0.5).toFixed(1)} (${times[0]!.toFixed(1)}–${at(times, 0.95).toFixed(1)})`
  })
}

async function measure(name: string, checkout: string, size: number): Promise<readonly string[]> {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-wake-'))
  // The same script in either checkout.
  const { startLocalIndex } = (await import(pathToFileURL(join(checkout, 'scripts/local-index.ts')).href)) as {
    startLocalIndex: (options: LocalIndexOptions) => Promise<LocalIndex>
  }
  const indexes = { vectors: { indexType: 'DENSE', dimension: DIMENSION } }
  const start = () => startLocalIndex({ stateDirectory, indexes, port: anyPort() })
  try {
    let index = await start()
    const began = performance.now()
    for (let first = 0; first < size; first += PER_COMMAND) {
      const rows = Array.from({ length: PER_COMMAND }, (_, row) => ({ id: `row-${first + row}`, vector: vector() }))
      await post(index, 'upsert/n', rows)
    }
    const rate = size / ((performance.now() - began) / 1000)
    await sleep(REST_MS)
    const cold: Took[] = []
    let warm: Took[] = []
    for (let time = 0; time < COLD; time++) {
      await index.stop()
      index = await start()
      await post(index, 'info', [])
      cold.push(await timed(index))
      warm = []
      while (warm.length < (time === COLD - 1 ? WARM : 1)) warm.push(await timed(index))
    }
    await index.stop()
    return [name, size.toLocaleString('en'), ...shown(cold), ...shown(warm), Math.round(rate).toLocaleString('en')]
  } finally {
    rmSync(stateDirectory, { recursive: true, force: true })
  }
}

process.setMaxListeners(0)
const [other, sizes = SIZES] = process.argv.slice(2)
const checkouts = [...(other === undefined || other === '.' ? [] : [['before', resolve(other)]]), ['now', resolve('.')]]
const rows: (readonly string[])[] = []
for (const size of sizes.split(',').map(Number)) {
  for (const [name = '', checkout = ''] of checkouts) {
    rows.push(await measure(name, checkout, size))
    console.error(rows.at(-1)!.join(' | '))
  }
}
console.log(
  markdownTable(
    ['', 'vectors', 'cold, ms', 'CPU of that, ms', 'warm, ms', 'CPU of that, ms', 'written/s, with making them'],
    rows,
  ),
)
