/**
 * How well the embedded index finds the passages that answer a question: dense, sparse and hybrid search and the gate's
 * mix, on three sets; and the cost of int8, and of passages without idf. Results are in docs/internal/retrieval.md.
 *
 *   npm run bench -- retrieval
 *
 * Every search is a protocol command over SQLite in memory, as in a Durable Object; the gate's mix goes through the
 * `@upstash/vector` client and the adapter, as in the gate.
 */
import { markdownTable } from './markdown-table.ts'
import { gateSearch, indexSet, protocolSearch, type Search } from './retrieval/indexed-set.ts'
import { haveLabelledSets, readLabelledSet } from './retrieval/labelled-set.ts'
import { bootstrapInterval, mean, meanReciprocalRank, rankOf, recallAt } from './retrieval/ranks.ts'

const SETS = ['squad-ooc', 'clapnq', 'azure-faq']
const QUESTIONS = 2000
const SEED = 20_261_122

/** Results of a search for every question of a set, in the order of the questions. */
interface Measured {
  readonly set: string
  readonly name: string
  readonly ranks: readonly number[]
}

const figure = (value: number): string => value.toFixed(3)
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`

async function measureSet(set: string): Promise<Measured[]> {
  const labelled = readLabelledSet(set, QUESTIONS, SEED)
  const { index, lexicon } = indexSet(labelled)
  const searches: Readonly<Record<string, Search>> = {
    dense: protocolSearch(index, 'int8', { queryMode: 'DENSE' }),
    sparse: protocolSearch(index, 'int8', { queryMode: 'SPARSE' }),
    'hybrid, RRF': protocolSearch(index, 'int8', { queryMode: 'HYBRID', fusionAlgorithm: 'RRF' }),
    'hybrid, DBSF': protocolSearch(index, 'int8', { queryMode: 'HYBRID', fusionAlgorithm: 'DBSF' }),
    'the gate: convex mix': gateSearch(index, 'int8', lexicon),
    'dense, float32': protocolSearch(index, 'float32', { queryMode: 'DENSE' }),
    'convex mix, float32': gateSearch(index, 'float32', lexicon),
    'dense, float32, idf in passages': protocolSearch(index, 'float32-idf', { queryMode: 'DENSE' }),
    'convex mix, float32, idf in passages': gateSearch(index, 'float32-idf', lexicon),
  }
  const measured: Measured[] = []
  for (const [name, search] of Object.entries(searches)) {
    const ranks: number[] = []
    for (const { question, relevant } of labelled.questions) ranks.push(rankOf(await search(question), relevant))
    measured.push({ set, name, ranks })
  }
  return measured
}

function qualityRow({ set, name, ranks }: Measured): string[] {
  const recall = (depth: number): string => {
    const { rate, low, high } = recallAt(ranks, depth)
    return `${figure(rate)} (${figure(low)}–${figure(high)})`
  }
  const { low, high } = bootstrapInterval(ranks.map((rank) => 1 / rank))
  const reciprocal = `${figure(meanReciprocalRank(ranks))} (${figure(low)}–${figure(high)})`
  return [set, name, String(ranks.length), recall(1), recall(5), recall(10), reciprocal]
}

/** Gain of a search over another on the same questions, in mean reciprocal rank, with its interval. */
function gainRow(measured: readonly Measured[], set: string, name: string, over: string): string[] {
  const ranksOf = (wanted: string): readonly number[] =>
    measured.find((each) => each.set === set && each.name === wanted)!.ranks
  const before = ranksOf(over)
  const gains = ranksOf(name).map((rank, at) => 1 / rank - 1 / before[at]!)
  const { low, high } = bootstrapInterval(gains)
  return [set, name, over, String(gains.length), `${signed(mean(gains))} (${signed(low)} to ${signed(high)})`]
}

const GAINS = [
  ['the gate: convex mix', 'sparse'],
  ['the gate: convex mix', 'hybrid, RRF'],
  ['dense', 'dense, float32'],
  ['the gate: convex mix', 'convex mix, float32'],
  ['dense, float32', 'dense, float32, idf in passages'],
  ['convex mix, float32', 'convex mix, float32, idf in passages'],
] as const

function page(measured: readonly Measured[]): string {
  const shown = measured.filter(({ name }) => !name.includes('float32'))
  return `# Retrieval quality

How often the embedded index finds the passage that answers a question. Written by \`npm run bench -- retrieval\`
(\`bench/retrieval.ts\`); questions are drawn with seed ${SEED}, at most ${QUESTIONS.toLocaleString('en')} answerable ones of a set. The sets are those of
[Evaluation](evaluation.md). Passages are indexed by their text alone: titles stand in metadata, as ingestion writes them.

Every search is a command of the index's protocol (\`upsert-data\`, \`query-data\`) over SQLite in memory, with idf weighting.
The gate's mix goes through the \`@upstash/vector\` client and the adapter: ten passages by each side, then the convex
mix of [how it works](../how-it-works.md).

## Searches

Recall: share of questions with a right passage among the first one, five or ten, with exact (Clopper–Pearson) 95 %
intervals. MRR: mean of one over the rank of the first right passage among ten, 0 without one, with bootstrap 95 %
intervals.

${markdownTable(['set', 'search', 'n', 'recall@1', 'recall@5', 'recall@10', 'MRR'], shown.map(qualityRow))}

## Side by side

Gain in MRR of one search over another on the same questions, with bootstrap 95 % intervals of the gain. The index keeps
dense vectors as bytes and without idf in the passages (the question carries it), so that they do not go stale; the
last rows of each set say what that costs.

${markdownTable(
  ['set', 'search', 'over', 'n', 'gain in MRR'],
  SETS.flatMap((set) => GAINS.map(([name, over]) => gainRow(measured, set, name, over))),
)}
`
}

if (!haveLabelledSets()) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const measured: Measured[] = []
for (const set of SETS) measured.push(...(await measureSet(set)))
console.log(page(measured))
