/**
 * Which turns of a conversation to search and judge: the last one, also the one before it, or all.
 *
 *   npm run bench -- conversations reference.jsonl [reference_subset_with_human_evaluations.json clapnq_rewrite.jsonl …]
 *
 * From github.com/IBM/mt-rag-benchmark: `mtragun-human/generation_tasks/reference.jsonl` (MTRAG-UN); from
 * `mtrag-human/evaluations` conversations that were not used for any choice (MTRAG); and from
 * `mtrag-human/retrieval_tasks` their last turns, rewritten to stand alone. Each is searched lexically over all
 * passages that answer one of its tasks, with `balanced` on the scale learned from those passages. Underspecified tasks
 * are left out. Each method is also asked what it must refuse: the answerable tasks without the passages that answer
 * them, and unrelated questions (SQuAD) after a turn that quotes a sentence of the passages, and after an answerable
 * one.
 *
 * @see https://arxiv.org/abs/2602.23184
 */
import { readFileSync } from 'node:fs'
import { auroc } from '../packages/calibration/src/auroc.ts'
import { binomialInterval, type Interval } from '../packages/calibration/src/binomial-interval.ts'
import { learnFromWindows } from '../packages/calibration/src/scale/learn-from-windows.ts'
import type { Passage, Ranking } from '../src/core/evidence/chunk.ts'
import { normaliseQuestion } from '../src/core/text/normalise.ts'
import { sentences } from '../src/core/text/sentences.ts'
import { english } from '../src/language/english/english.ts'
import { terms } from '../src/language/english/terms.ts'
import { balanced } from '../src/presets/balanced/balanced.ts'
import { type BenchGate, benchGate } from './evaluation/bench-gate.ts'
import { askWithout } from './evaluation/own-windows.ts'
import { readQuestions, searchable } from './evaluation/question-sets.ts'
import { markdownTable } from './markdown-table.ts'
import { meanReciprocalRank, rankOf } from './retrieval/ranks.ts'
import { seededRandom } from './seeded-random.ts'

const SEED = 20_261_127
const DRAWS = 1000
/** Maximum length of a question, characters; of longer ones the end is used. */
const LONGEST = 2000

interface Turn {
  readonly speaker: 'user' | 'agent'
  readonly text: string
}

/** A task with its conversation, from either file. */
interface Task {
  readonly answerable: boolean
  /** Passages that answer it. */
  readonly relevant: ReadonlySet<string>
  readonly asked: Conversation
}

interface Conversation {
  /** The user's turns. */
  readonly turns: readonly string[]
  readonly everyTurn: readonly string[]
  /** The last turn, rewritten to stand alone; absent if there is no rewriting. */
  readonly rewritten?: string | undefined
}

interface Outcome {
  readonly isAnswered: boolean
  readonly confidence: number
  readonly found: readonly string[]
}

/** Asks a conversation. @param isOut passages to leave out */
type Way = (conversation: Conversation, isOut?: (passage: Passage) => boolean) => Promise<Outcome>

const passageOf = (id: string, title: string, text: string): Passage => ({
  id,
  documentId: id,
  title,
  text: text.trim(),
})
const conversationOf = (input: readonly Turn[]): Conversation => ({
  turns: input.flatMap(({ speaker, text }) => (speaker === 'user' ? [text] : [])),
  everyTurn: input.map(({ text }) => text),
})

/** MTRAG-UN: one task per line, with its passages. */
function readLines(text: string): { readonly passages: readonly Passage[]; readonly tasks: readonly Task[] } {
  interface Line {
    readonly answerability: readonly string[]
    readonly contexts: readonly { readonly document_id: string; readonly title?: string; readonly text: string }[]
    readonly input: readonly Turn[]
  }
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
    .filter(({ answerability: [kind] }) => kind !== 'UNDERSPECIFIED')
  return {
    passages: lines.flatMap(({ contexts }) =>
      contexts.map(({ document_id: id, title = '', text: words }) => passageOf(id, title, words)),
    ),
    tasks: lines.map(({ answerability, contexts, input }) => ({
      answerable: answerability[0] !== 'UNANSWERABLE',
      relevant: new Set(contexts.map(({ document_id: id }) => id)),
      asked: conversationOf(input),
    })),
  }
}

/** MTRAG: one object with separate passages. */
function readEvaluations(
  text: string,
  rewritten: ReadonlyMap<string, string> = new Map(),
): ReturnType<typeof readLines> {
  const { documents, tasks } = JSON.parse(text) as {
    readonly documents: readonly { readonly document_id: string; readonly title?: string; readonly text: string }[]
    readonly tasks: readonly {
      readonly task_id: string
      readonly Answerability: readonly string[]
      readonly contexts: readonly { readonly document_id: string }[]
      readonly input: readonly Turn[]
    }[]
  }
  return {
    passages: documents.map(({ document_id: id, title = '', text: words }) => passageOf(id, title, words)),
    tasks: tasks
      .filter(({ Answerability: [kind] }) => kind !== 'CONVERSATIONAL')
      .map(({ task_id: id, Answerability, contexts, input }) => ({
        answerable: Answerability[0] !== 'UNANSWERABLE',
        relevant: new Set(contexts.map((context) => context.document_id)),
        asked: { ...conversationOf(input), rewritten: rewritten.get(id) },
      })),
  }
}

/** Rewritten turns by task. */
function readRewritten(text: string): readonly (readonly [string, string])[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly _id: string; readonly text: string })
    .map((line) => [line._id, line.text.replace(/^\|user\|: /, '')])
}

const [file, evaluations, ...rewrites] = process.argv.slice(2)
if (file === undefined) throw new Error('Name the file: npm run bench -- conversations reference.jsonl')
const chosenOn = readLines(readFileSync(file, 'utf8'))
await report('MTRAG-UN', chosenOn)
if (evaluations !== undefined) {
  const known = new Set(chosenOn.tasks.map(({ asked }) => asked.everyTurn[0]))
  const rewritten = new Map(rewrites.flatMap((each) => readRewritten(readFileSync(each, 'utf8'))))
  const { passages, tasks } = readEvaluations(readFileSync(evaluations, 'utf8'), rewritten)
  await report('MTRAG', { passages, tasks: tasks.filter(({ asked }) => !known.has(asked.everyTurn[0])) })
}

/** Whether a turn is short, or has a word that refers to an earlier turn. */
function leans(turn: string): boolean {
  const standsFor =
    /\b(?:its?|th(?:ey|em|eir|is|at|ese|ose|ere)|h(?:e|im|is)|she|hers?|ones?|such|same|(?:an)?others?|else|more)\b/i
  return new Set(terms(turn)).size < 3 || standsFor.test(turn)
}

/** The methods, over a search. */
function waysOver(
  search: (words: string, topK: number) => Ranking,
  gate: (search: SearchAt) => BenchGate,
): readonly (readonly [name: string, way: Way])[] {
  let searches: readonly string[] = []
  const ask = gate((topK) => byTurns(searches.map((each) => search(each, topK))))
  const asking =
    (
      searched: (conversation: Conversation) => readonly string[],
      judged: (conversation: Conversation) => string,
    ): Way =>
    async (conversation, isOut) => {
      searches = searched(conversation).map((text) => normaliseQuestion(text.slice(-LONGEST)))
      const { decision, evidence } = await ask(judged(conversation).slice(-LONGEST), isOut)
      const { verdict, confidence } = decision
      return {
        isAnswered: verdict !== 'refuse',
        confidence: confidence ?? 0,
        found: evidence.chunks.map(({ id }) => id),
      }
    }
  const last = ({ turns }: Conversation): string => turns.at(-1)!
  const both = ({ turns }: Conversation): string => turns.slice(-2).join(' ')
  const all = ({ everyTurn }: Conversation): string => everyTurn.join(' ')
  const one = (text: (conversation: Conversation) => string): Way =>
    asking((conversation) => [text(conversation)], text)
  const searchedWithBoth = asking((conversation) => [both(conversation)], last)
  return [
    ['the last turn', one(last)],
    ["with the user's turn before it", one(both)],
    ['all turns', one(all)],
    ['searched with both, judged by the last', searchedWithBoth],
    ['both searches, judged by the last', asking((conversation) => [last(conversation), both(conversation)], last)],
    [
      'searched with both where the last leans, judged by the last',
      (conversation, isOut) => (leans(last(conversation)) ? searchedWithBoth : one(last))(conversation, isOut),
    ],
    ['the last turn, rewritten', one((conversation) => conversation.rewritten ?? last(conversation))],
    [
      'the last turn; where it is refused, both',
      async (conversation, isOut) => {
        const alone = await one(last)(conversation, isOut)
        const together = await one(both)(conversation, isOut)
        return !alone.isAnswered && together.confidence > alone.confidence ? together : alone
      },
    ],
  ]
}

/** Merges the rankings of several turns, each passage once. */
function byTurns(rankings: readonly Ranking[]): readonly Ranking[] {
  if (rankings.length < 2) return rankings
  const entries = rankings[0]!.entries.flatMap((_, at) => rankings.flatMap((each) => each.entries.slice(at, at + 1)))
  const passages = new Map(entries.map(({ passage }) => [passage.id, passage]))
  return [{ kind: 'bm25', entries: [...passages.values()].map((passage, at) => ({ passage, score: 1000 - at })) }]
}

type SearchAt = (topK: number) => readonly Ranking[]

/** The results of a method for a task and its variants. */
interface Result {
  readonly answerable: boolean
  readonly leans: boolean
  readonly own: Outcome
  /** Rank of the first right passage. */
  readonly rank: number
  /** Result without the passages that answer it. */
  readonly hidden: Outcome | undefined
  readonly quoting: Outcome
  readonly changing: Outcome
}

async function report(name: string, { passages: given, tasks }: ReturnType<typeof readLines>): Promise<void> {
  const passages = [...new Map(given.map((passage) => [passage.id, passage])).values()]
  const policy = balanced()
  const set = searchable(passages, [])
  const scale = await learnFromWindows({ passages, language: english, ...askWithout(set, policy) })
  if (scale === undefined) throw new Error('The passages have no scale')
  const ways = waysOver(
    (words, topK) => set.search(words, topK)[0]!,
    (search) => benchGate({ lexicon: set.lexicon, search: (_question, topK) => search(topK) }, { policy, scale }),
  )

  const random = seededRandom(SEED)
  const drawn = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const elsewhere = readQuestions('squad-ooc')
  const quoted = passages.flatMap(({ text }) => sentences(text).filter((each) => new Set(terms(each)).size > 5))
  const behind = (before: string): Conversation => {
    const turns = [before, drawn(elsewhere).question]
    return { turns, everyTurn: turns }
  }
  const asking = tasks.map((task) => ({
    ...task,
    quoting: behind(drawn(quoted)),
    changing: behind(task.asked.turns.at(-1)!),
  }))

  const measured: { readonly way: string; readonly results: readonly Result[] }[] = []
  for (const [way, ask] of ways) {
    const results: Result[] = []
    for (const { asked, answerable, relevant, quoting, changing } of asking) {
      const own = await ask(asked)
      results.push({
        answerable,
        leans: asked.turns.length > 1 && leans(asked.turns.at(-1)!),
        own,
        rank: rankOf(own.found, relevant),
        hidden: answerable ? await ask(asked, ({ id }) => relevant.has(id)) : undefined,
        quoting: await ask(quoting),
        changing: await ask(changing),
      })
    }
    measured.push({ way, results })
  }
  const isRight = ({ own, rank }: Result): boolean => own.isAnswered && rank < Infinity
  const rate = (those: readonly Result[], holds: (each: Result) => boolean | undefined): string => {
    const count = those.filter((each) => holds(each) === true).length
    return within(count / those.length, binomialInterval(count, those.length))
  }
  const answerableOf = (results: readonly Result[]): readonly Result[] => results.filter((each) => each.answerable)
  const othersOf = (results: readonly Result[]): readonly Result[] => results.filter((each) => !each.answerable)
  /** Difference in AUROC to the last turn alone; the same tasks are resampled for both. */
  const gain = (
    results: readonly Result[],
    negatives: (results: readonly Result[]) => readonly (number | undefined)[],
  ): string => {
    const ranked = (those: readonly Result[]): number =>
      auroc([
        ...answerableOf(those).map(({ own }) => ({ score: own.confidence, answerable: true })),
        ...negatives(those).flatMap((score) => (score === undefined ? [] : [{ score, answerable: false }])),
      ])
    const draw = seededRandom(SEED)
    const base = measured[0]!.results
    const differences = Array.from({ length: DRAWS }, () => {
      const places = results.map(() => Math.floor(draw() * results.length))
      return ranked(places.map((at) => results[at]!)) - ranked(places.map((at) => base[at]!))
    }).sort((a, b) => a - b)
    const interval = { low: differences[0.025 * DRAWS]!, high: differences[0.975 * DRAWS]! }
    const [low, high] = [interval.low, interval.high].map(signed)
    return `${written(ranked(results))}${results === base ? '' : `, ${signed(ranked(results) - ranked(base))} (${low} to ${high})`}`
  }

  const counts = `${answerableOf(measured[0]!.results).length} answerable, ${othersOf(measured[0]!.results).length} others`
  console.log(`\n${name}: ${counts}, over ${passages.length} passages; seed ${SEED}\n`)
  const rows = measured.map(({ way, results }) => {
    const answerable = answerableOf(results)
    return [
      way,
      written(meanReciprocalRank(answerable.map(({ rank }) => rank))),
      rate(answerable, isRight),
      rate(answerable, ({ hidden }) => hidden?.isAnswered),
      rate(othersOf(results), ({ own }) => own.isAnswered),
      gain(results, (those) => those.map(({ hidden }) => hidden?.confidence)),
      gain(results, (those) => othersOf(those).map(({ own }) => own.confidence)),
      rate(results, ({ quoting }) => quoting.isAnswered),
      rate(results, ({ changing }) => changing.isAnswered),
    ]
  })
  const head = [
    'searched and judged',
    'MRR',
    'answered, with a right passage',
    'answered without their passages',
    'others answered',
  ]
  const ranks = ['AUROC against those without passages', 'against the others']
  console.log(markdownTable([...head, ...ranks, 'behind a quotation', 'behind an answerable turn'], rows))

  const groups: readonly (readonly [name: string, holds: (each: Result) => boolean])[] = [
    ['leans', (each) => each.leans],
    ['does not', (each) => !each.leans],
  ]
  const parts = groups.flatMap(([group, holds]) =>
    measured.map(({ way, results }) => {
      const answerable = answerableOf(results).filter(holds)
      return [
        group,
        way,
        String(answerable.length),
        rate(answerable, isRight),
        rate(answerable, ({ hidden }) => hidden?.isAnswered),
      ]
    }),
  )
  console.log(markdownTable(['which', 'way', 'n', 'answered, with a right passage', 'without their passages'], parts))
}

function within(figure: number, interval: Interval): string {
  return `${written(figure)} (${written(interval.low)}–${written(interval.high)})`
}

function written(figure: number): string {
  return figure.toFixed(3).replace(/^(-?)0/, '$1')
}

function signed(figure: number): string {
  return `${figure < 0 ? '−' : '+'}${written(Math.abs(figure))}`
}
