/**
 * What a dense search costs: the kernel beside its twin in plain JavaScript, two well-known vector libraries and the
 * memory bandwidth of the machine, on the same vectors in one process; then writing and loading through the protocol in
 * workerd.
 *
 *   npm run bench -- scan [-- rounds]
 *
 * All contenders take turns in every round, so that a machine that slows down slows them all; within a round the
 * fastest of several turns counts. Vectors are drawn with a
 * fixed seed around a hundred centres, of unit length. Recall is that of the ten best by exact float32 cosine.
 */
import { loadKernel } from '../scripts/load-kernel.ts'
import type { DenseRows } from '../packages/vector-index/src/search/dense/dense-rows.ts'
import { KernelMemory } from '../packages/vector-index/src/search/dense/kernel-memory.ts'
import { KernelRows } from '../packages/vector-index/src/search/dense/kernel-rows.ts'
import { PlainRows } from '../packages/vector-index/src/search/dense/plain-rows.ts'
import { float32Row, quantise, type DenseRow } from '../packages/vector-index/src/search/scan.ts'
import { openBandwidth, type Bandwidth } from './scan/bandwidth.ts'
import { PEERS, type Found } from './scan/peers.ts'
import { printed, spreadOf } from './scan/spread.ts'
import { benchStore } from './scan/store.ts'
import { seededRandom } from './seeded-random.ts'

const DIMENSION = 384
const TOP_K = 10
const SIZES = [1_000, 10_000, 100_000]
const QUESTIONS = 5
/** Turns in a round, of which the fastest counts: others use the machine as well. */
const TURNS = 5
const WARM_UP_MS = 500
/** What takes longer gets no further turn. */
const SLOW_MS = 1000
const ROUNDS = Number(process.argv[2] ?? 5)
/** Far more than a cache holds. */
const MEMORY_BYTES = 2 ** 28
/** Beyond it peers are left out, so that a run stays short. */
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

/** Nanoseconds for a vector: each question is asked in turn, several times over; the fastest turn counts. */
async function time({ search, questions }: Contender, rows: number): Promise<number> {
  let fastest = Infinity
  const began = performance.now()
  for (let turn = 0; turn < TURNS && performance.now() - began < SLOW_MS; turn++) {
    const from = performance.now()
    for (const question of questions) await search(question)
    fastest = Math.min(fastest, performance.now() - from)
  }
  return (fastest * 1e6) / (questions.length * rows)
}

/** Long enough for the engine to have compiled what it runs as well as it can. */
async function warmUp({ search, questions }: Contender): Promise<void> {
  const until = performance.now() + WARM_UP_MS
  do for (const question of questions) await search(question)
  while (performance.now() < until)
}

/** Bytes a second of reading, the fastest of as many turns. */
function fastestRead(bandwidth: Bandwidth, bytes: number): number {
  return Math.max(...Array.from({ length: TURNS }, () => bandwidth.read(bytes)))
}

async function recallOf(contender: Contender, exact: DenseRows): Promise<number> {
  let found = 0
  for (const question of contender.questions) {
    const best = new Set(exact.search(question, TOP_K).map(({ slot }) => slot))
    for (const slot of await contender.search(question)) if (best.has(slot)) found++
  }
  return found / (TOP_K * contender.questions.length)
}

/** What one contender took in one round. */
interface Measured {
  readonly nanoseconds: number
  /** Share of the bandwidth of the memory, and of reading as many bytes over and over. */
  readonly ofMemory?: number
  readonly ofSame?: number
}

async function measure(contender: Contender, count: number, bandwidth: Bandwidth): Promise<Measured> {
  const nanoseconds = await time(contender, count)
  const { bytes } = contender
  if (bytes === undefined) return { nanoseconds }
  const perSecond = (bytes / (count * nanoseconds)) * 1e9
  return {
    nanoseconds,
    ofMemory: perSecond / fastestRead(bandwidth, MEMORY_BYTES),
    ofSame: perSecond / fastestRead(bandwidth, bytes),
  }
}

async function benchScan(count: number, bandwidth: Bandwidth): Promise<void> {
  const vectors = Array.from({ length: count }, near)
  const exact = filled(new PlainRows(), vectors, float32Row)
  const contenders = await contendersOf(vectors)
  const results = contenders.map((): Measured[] => [])
  for (const contender of contenders) await warmUp(contender)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, contender] of contenders.entries()) results[at]!.push(await measure(contender, count, bandwidth))
  }
  console.log(`\n${count} vectors\n`)
  console.log(
    '| what | ns for a vector | times the kernel on int8 | of memory bandwidth | of reading as many bytes | recall@10 |',
  )
  console.log('|---|---|---|---|---|---|')
  for (const [at, contender] of contenders.entries()) {
    const own = results[at]!
    const columns = [
      own.map(({ nanoseconds }) => nanoseconds),
      own.map(({ nanoseconds }, round) => nanoseconds / results[0]![round]!.nanoseconds),
      own.flatMap(({ ofMemory }) => ofMemory ?? []),
      own.flatMap(({ ofSame }) => ofSame ?? []),
    ].map((values) => (values.length === 0 ? '—' : printed(spreadOf(values))))
    const recall = (await recallOf(contender, exact)).toFixed(3)
    console.log(`| ${[contender.name, ...columns, recall].join(' | ')} |`)
  }
}

const bandwidth = await openBandwidth()
const gigabytes = (perSecond: () => number) =>
  printed(spreadOf(Array.from({ length: ROUNDS }, () => perSecond() / 1e9)))
console.log(`${ROUNDS} rounds; medians with the lowest and highest; ${DIMENSION} dimensions, the ${TOP_K} best.`)
console.log(
  `Reading 256 MiB: ${gigabytes(() => fastestRead(bandwidth, MEMORY_BYTES))} GB/s; copying: ${gigabytes(bandwidth.copied)} GB/s.`,
)
for (const count of SIZES) await benchScan(count, bandwidth)
await benchStore(ROUNDS, random)
