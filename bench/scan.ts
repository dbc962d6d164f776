/**
 * What a dense search costs: the kernel beside its twin in plain JavaScript, two well-known vector libraries and the
 * memory bandwidth of the machine, on the same vectors in one process; then writing and loading through the protocol in
 * workerd.
 *
 *   npm run bench:scan [-- rounds]
 *
 * All contenders take turns in every round, so that a machine that slows down slows them all. Vectors are drawn with a
 * fixed seed around a hundred centres, of unit length. Recall is that of the ten best by exact float32 cosine.
 */
import { loadKernel } from '../scripts/load-kernel.ts'
import type { DenseRows } from '../src/embedded/dense/dense-rows.ts'
import { KernelMemory } from '../src/embedded/dense/kernel-memory.ts'
import { KernelRows } from '../src/embedded/dense/kernel-rows.ts'
import { PlainRows } from '../src/embedded/dense/plain-rows.ts'
import { float32Row, quantise, type DenseRow } from '../src/embedded/scan.ts'
import { openBandwidth, type Bandwidth } from './scan/bandwidth.ts'
import { PEERS, type Found } from './scan/peers.ts'
import { printed, spreadOf } from './scan/spread.ts'
import { benchStore } from './scan/store.ts'
import { seededRandom } from './seeded-random.ts'

const DIMENSION = 384
const TOP_K = 10
const QUESTIONS = 20
const ROUNDS = Number(process.argv[2] ?? 9)
/** Beyond it a peer takes minutes to build or seconds to search. */
const MOST_PEER_ROWS = 10_000
/** Dimensions that a short question fills in the index's own embeddings: about 6 of 100. */
const SPARSE_DIMENSIONS = 24

const random = seededRandom(20_261_122)

interface Contender {
  readonly name: string
  readonly search: (question: Float32Array) => Found
  readonly questions: readonly Float32Array<ArrayBuffer>[]
  /** Bytes of rows that one search reads, where it is said what they are. */
  readonly bytes?: number
}

function unit(values: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const length = Math.hypot(...values)
  return values.map((value) => value / length)
}

const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
const draw = () => Float32Array.from({ length: DIMENSION }, normal)
const CENTRES = Array.from({ length: 100 }, draw)
const near = () => {
  const centre = CENTRES[Math.floor(random() * CENTRES.length)]!
  return unit(centre.map((value) => value + normal()))
}

function sparse(): Float32Array<ArrayBuffer> {
  const vector = new Float32Array(DIMENSION)
  for (let filled = 0; filled < SPARSE_DIMENSIONS; filled++) vector[Math.floor(random() * DIMENSION)] = normal()
  return unit(vector)
}

function ours(name: string, rows: DenseRows, questions: Contender['questions'], bytes?: number): Contender {
  const search = (question: Float32Array) => rows.search(question, TOP_K).map(({ slot }) => slot)
  return { name, search, questions, ...(bytes !== undefined && { bytes }) }
}

function filled(
  rows: DenseRows,
  vectors: readonly Float32Array<ArrayBuffer>[],
  encode: (v: Float32Array<ArrayBuffer>) => DenseRow,
) {
  vectors.forEach((vector, slot) => rows.put(slot, encode(vector)))
  return rows
}

async function contendersOf(vectors: readonly Float32Array<ArrayBuffer>[]): Promise<Contender[]> {
  const dense = Array.from({ length: QUESTIONS }, near)
  const sparseQuestions = Array.from({ length: QUESTIONS }, sparse)
  const makeKernel = loadKernel()
  const contenders: Contender[] = []
  for (const [encoding, encode, bytes] of [
    ['int8', quantise, 1],
    ['float32', float32Row, 4],
  ] as const) {
    const kernelRows = filled(new KernelRows(new KernelMemory(makeKernel), DIMENSION), vectors, encode)
    const size = vectors.length * DIMENSION * bytes
    const twin = filled(new PlainRows(), vectors, encode)
    contenders.push(ours(`kernel, ${encoding}`, kernelRows, dense, size))
    contenders.push(ours(`kernel, ${encoding}, sparse question`, kernelRows, sparseQuestions))
    contenders.push(ours(`twin, ${encoding}`, twin, dense))
    contenders.push(ours(`twin, ${encoding}, sparse question`, twin, sparseQuestions))
  }
  if (vectors.length > MOST_PEER_ROWS) return contenders
  for (const { name, build } of PEERS) {
    const search = await build(vectors)
    contenders.push({ name, search: (question) => search(question, TOP_K), questions: dense })
  }
  return contenders
}

/** Nanoseconds for a vector of one search, each question asked once. */
async function time({ search, questions }: Contender, rows: number): Promise<number> {
  const repeats = Math.max(1, Math.round(2_000 / rows))
  const from = performance.now()
  for (let repeat = 0; repeat < repeats; repeat++) for (const question of questions) await search(question)
  return ((performance.now() - from) * 1e6) / (repeats * questions.length * rows)
}

async function recallOf(contender: Contender, exact: DenseRows): Promise<number> {
  let found = 0
  for (const question of contender.questions) {
    const best = new Set(exact.search(question, TOP_K).map(({ slot }) => slot))
    for (const slot of await contender.search(question)) if (best.has(slot)) found++
  }
  return found / (TOP_K * contender.questions.length)
}

async function benchScan(count: number, bandwidth: Bandwidth): Promise<void> {
  const vectors = Array.from({ length: count }, near)
  const exact = filled(new PlainRows(), vectors, float32Row)
  const contenders = await contendersOf(vectors)
  const times = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]))
  const shares = new Map<Contender, number[]>(contenders.map((contender) => [contender, []]))
  for (let round = 0; round <= ROUNDS; round++) {
    for (const contender of contenders) {
      const nanoseconds = await time(contender, count)
      const { bytes } = contender
      // The first round warms up.
      if (round === 0) continue
      times.get(contender)!.push(nanoseconds)
      if (bytes !== undefined)
        shares.get(contender)!.push(((bytes / (count * nanoseconds)) * 1e9) / bandwidth.read(bytes))
    }
  }
  console.log(`\n${count} vectors\n`)
  console.log(
    '| what | ns for a vector | times the kernel on int8 | of the bandwidth | recall@10 |\n|---|---|---|---|---|',
  )
  const base = times.get(contenders[0]!)!
  for (const contender of contenders) {
    const own = times.get(contender)!
    const ratios = own.map((nanoseconds, round) => nanoseconds / base[round]!)
    const share = shares.get(contender)!
    console.log(
      `| ${contender.name} | ${printed(spreadOf(own))} | ${printed(spreadOf(ratios))} | ` +
        `${share.length > 0 ? printed(spreadOf(share)) : '—'} | ${(await recallOf(contender, exact)).toFixed(3)} |`,
    )
  }
}

const bandwidth = await openBandwidth()
const gigabytes = (perSecond: () => number) =>
  printed(spreadOf(Array.from({ length: ROUNDS }, () => perSecond() / 1e9)))
console.log(`${ROUNDS} rounds; medians with the lowest and highest; ${DIMENSION} dimensions, the ${TOP_K} best.`)
console.log(
  `Reading 256 MiB: ${gigabytes(() => bandwidth.read(2 ** 28))} GB/s; copying: ${gigabytes(bandwidth.copied)} GB/s.`,
)
for (const count of [1_000, 10_000, 100_000]) await benchScan(count, bandwidth)
await benchStore(ROUNDS, random)
