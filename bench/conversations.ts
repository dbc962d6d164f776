/**
 * What of a conversation should be searched with, and what judged: the last turn, the one before it too, or all of them.
 *
 *   npm run bench -- conversations reference.jsonl
 *
 * The file is `mtragun-human/generation_tasks/reference.jsonl` of github.com/IBM/mt-rag-benchmark (MTRAG-UN): its tasks with their
 * conversations, over all passages that answer one of them, by words. Tasks that ask too little to be answered are left out.
 *
 * @see https://arxiv.org/abs/2602.23184
 */
import { readFileSync } from 'node:fs'
import { auroc } from '../packages/calibration/src/auroc.ts'
import { binomialInterval, type Interval } from '../packages/calibration/src/binomial-interval.ts'
import { bootstrapInterval } from '../packages/calibration/src/bootstrap-interval.ts'
import { normaliseQuestion } from '../src/core/text/normalise.ts'
import { benchGate } from './evaluation/bench-gate.ts'
import { searchable } from './evaluation/question-sets.ts'
import { markdownTable } from './markdown-table.ts'
import { bootstrapInterval as intervalOfMean, meanReciprocalRank, rankOf } from './retrieval/ranks.ts'
import { seededRandom } from './seeded-random.ts'

const SEED = 20_261_127
const DEPTH = 10
/** Characters: a question's longest, the end of what is longer. */
const LONGEST = 2000

interface Task {
  readonly task_id: string
  readonly answerability: readonly string[]
  readonly contexts: readonly { readonly document_id: string; readonly title?: string; readonly text: string }[]
  readonly input: readonly { readonly speaker: 'user' | 'agent'; readonly text: string }[]
}

type Said = (task: Task) => string

const usersTurns = ({ input }: Task): string[] =>
  input.flatMap(({ speaker, text }) => (speaker === 'user' ? [text] : []))
const turn: Said = (task) => usersTurns(task).slice(-1).join(' ')
const withBefore: Said = (task) => usersTurns(task).slice(-2).join(' ')

const FORMS: readonly (readonly [name: string, searched: Said, judged: Said])[] = [
  ['the last turn', turn, turn],
  ["the user's turn before it, too", withBefore, withBefore],
  ['searched with that, judged by the last', withBefore, turn],
  ["all of the user's", (task) => usersTurns(task).join(' '), (task) => usersTurns(task).join(' ')],
  [
    'all turns',
    ({ input }) => input.map(({ text }) => text).join(' '),
    ({ input }) => input.map(({ text }) => text).join(' '),
  ],
]

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Name the file: npm run bench -- conversations reference.jsonl')
const tasks = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Task)
  .filter(({ answerability: [kind] }) => kind !== 'UNDERSPECIFIED')
const passages = new Map(
  tasks.flatMap(({ contexts }) =>
    contexts.map(({ document_id: id, title = '', text }) => [id, { id, documentId: id, title, text: text.trim() }]),
  ),
)
const { lexicon, search } = searchable([...passages.values()], [])
const asked = (text: string): string => normaliseQuestion(text.slice(-LONGEST))

const rows: string[][] = []
for (const [name, searched, judged] of FORMS) {
  let words = ''
  const ask = benchGate({ lexicon, search: (_question, topK) => search(words, topK) })
  const ranks: number[] = []
  const scored: { score: number; answerable: boolean; isAnswered: boolean }[] = []
  for (const task of tasks) {
    words = asked(searched(task))
    const { verdict, confidence } = (await ask(judged(task).slice(-LONGEST))).decision
    const answerable = task.answerability[0] !== 'UNANSWERABLE'
    scored.push({ score: confidence ?? 0, answerable, isAnswered: verdict !== 'refuse' })
    if (!answerable) continue
    const found = search(words, DEPTH)[0]!.entries.map(({ passage }) => passage.id)
    ranks.push(rankOf(found, new Set(task.contexts.map(({ document_id: id }) => id))))
  }
  const rateOf = (kind: boolean): string => {
    const those = scored.filter(({ answerable }) => answerable === kind)
    const answered = those.filter(({ isAnswered }) => isAnswered).length
    return within(answered / those.length, binomialInterval(answered, those.length))
  }
  rows.push([
    name,
    within(meanReciprocalRank(ranks), intervalOfMean(ranks.map((rank) => 1 / rank))),
    within(auroc(scored), bootstrapInterval(scored, auroc, { random: seededRandom(SEED) })),
    rateOf(true),
    rateOf(false),
  ])
}

function within(figure: number, interval: Interval | undefined): string {
  const [low, high] = [interval?.low, interval?.high].map((each) => each?.toFixed(3).slice(1))
  return `${figure.toFixed(3).slice(1)} (${low}–${high})`
}

const answerable = tasks.filter(({ answerability: [kind] }) => kind !== 'UNANSWERABLE').length
console.log(`${tasks.length} tasks, ${answerable} of them answerable, over ${passages.size} passages; seed ${SEED}\n`)
const head = ['searched and judged', 'MRR', 'AUROC of the confidence', 'answered', 'others answered']
console.log(markdownTable(head, rows))
