/**
 * How well thresholds from questions that were drafted from documents without a model carry over to questions that
 * people asked.
 *
 *   npm run bench -- written-questions
 *
 * Drafts are those of `rag-gate questions`; every question goes through the gate, `balanced` is fitted without the
 * family. Thresholds are set as by `rag-gate calibrate --hidden-gold`. Labels are drawn with a fixed seed.
 */
import { draftQuestions } from '../packages/cli/src/draft-questions.ts'
import { auroc } from '../packages/calibration/src/auroc.ts'
import { binomialInterval } from '../packages/calibration/src/binomial-interval.ts'
import { labelsNeeded, lowestSafeThreshold } from '../packages/calibration/src/safe-threshold.ts'
import { isNamed } from '../workers/gate/leave-out.ts'
import { meanOf } from '../src/core/lib/statistics.ts'
import type { Policy } from '../src/core/policy/policy.ts'
import { type BenchGate, balancedWithoutEach, benchGate } from './evaluation/bench-gate.ts'
import { FAMILY_SETS, haveQuestionSets, openQuestionSet, readCorpus } from './evaluation/question-sets.ts'
import { markdownTable } from './markdown-table.ts'
import { seededRandom } from './seeded-random.ts'

const SEED = 20_261_122
const DRAWS = 200
const LABELS = 100
const MOST_QUESTIONS = 600
const PROMISE = { risk: 0.05, certainty: 0.9, step: 0.0001 }
/** Families whose passages each answer a question, so that a FAQ with the questions as headings can be made of them. */
const FAQS: readonly string[] = ['azure-faq', 'gov-faq', 'tex-faq', 'perl-faq']

/** A question, and the ids of passages or documents that answer it. */
interface Wanted {
  readonly question: string
  readonly relevantIds: readonly string[]
}

/** Confidences of the same questions, with and without the passages that answer them. */
interface Pool {
  readonly asked: readonly number[]
  /** Only of those whose passages were found. */
  readonly hidden: readonly number[]
}

/** Drafted questions, and those that people asked. */
interface Measured {
  readonly written: Pool
  readonly real: Pool
  readonly unanswerable: readonly number[]
}

async function poolOf(ask: BenchGate, wanted: readonly Wanted[]): Promise<Pool> {
  const asked: number[] = []
  const hidden: number[] = []
  for (const { question, relevantIds } of wanted) {
    const { decision, evidence } = await ask(question)
    asked.push(decision.confidence)
    const relevant = new Set(relevantIds)
    if (evidence.chunks.some((chunk) => isNamed(chunk, relevant))) {
      hidden.push((await ask(question, (passage) => isNamed(passage, relevant))).decision.confidence)
    }
  }
  return { asked, hidden }
}

function drafted(text: string, title: string | undefined, relevantId: string): Wanted[] {
  const drafts = draftQuestions({ text, ...(title === undefined ? {} : { title }) })
  return drafts.map(({ question }) => ({ question, relevantIds: [relevantId] }))
}

function onceEach(wanted: readonly Wanted[]): Wanted[] {
  return [...new Map(wanted.map((each) => [each.question.toLowerCase(), each])).values()]
}

function sampled<Item>(items: readonly Item[], most: number): Item[] {
  const every = Math.max(1, Math.ceil(items.length / most))
  return items.filter((_, at) => at % every === 0)
}

/** Questions drafted from document titles. */
async function fromTitles(family: string, policy: Policy): Promise<Measured> {
  const set = openQuestionSet(family)
  const documents = new Map(readCorpus(family).map(({ doc_id: id, title }) => [id, title]))
  const written = onceEach([...documents].flatMap(([id, title]) => drafted('', title, id)))
  return measured(benchGate(set, { policy }), set.questions, written, set.questions)
}

/** Half of the answers get their question as heading, as in a FAQ; people ask what the other half answers. */
async function fromHeadings(family: string, policy: Policy): Promise<Measured> {
  const { questions } = openQuestionSet(family)
  const answerable = questions.filter((question) => question.answerable)
  const halfOf = (rest: 0 | 1) => answerable.filter((_, at) => at % 2 === rest)
  const headings = new Map(halfOf(0).map(({ question, relevantIds }) => [relevantIds[0]!, question]))
  const set = openQuestionSet(family, {
    edit: (passage) => {
      const heading = headings.get(passage.id)
      return heading === undefined ? passage : { ...passage, text: `${heading}\n\n${passage.text}` }
    },
  })
  const written = onceEach([...headings].flatMap(([id, heading]) => drafted(`## ${heading}`, undefined, id)))
  // An answer that has a heading is not asked for in people's own words.
  const asked = halfOf(1).filter(({ relevantIds }) => !relevantIds.some((id) => headings.has(id)))
  return measured(benchGate(set, { policy }), asked, written, questions)
}

async function measured(
  ask: BenchGate,
  asked: readonly (Wanted & { readonly answerable: boolean })[],
  written: readonly Wanted[],
  all: readonly (Wanted & { readonly answerable: boolean })[],
): Promise<Measured> {
  const unanswerable: number[] = []
  for (const { question } of sampled(
    all.filter(({ answerable }) => !answerable),
    MOST_QUESTIONS,
  )) {
    unanswerable.push((await ask(question)).decision.confidence)
  }
  return {
    written: await poolOf(ask, sampled(written, MOST_QUESTIONS)),
    real: await poolOf(
      ask,
      sampled(
        asked.filter(({ answerable }) => answerable),
        MOST_QUESTIONS,
      ),
    ),
    unanswerable,
  }
}

const share = (scores: readonly number[], threshold: number): number =>
  meanOf(scores.map((score) => (score >= threshold ? 1 : 0)))

/** Results of thresholds from a pool's hidden gold on the questions that people asked. */
interface Carried {
  readonly cells: readonly string[]
  /** Whether it is exceeded in more than a tenth of the draws, beyond chance; `undefined` without a guarantee. */
  readonly broken?: boolean
}

function carriedOver(pool: Pool, { real, unanswerable }: Measured): Carried {
  if (pool.hidden.length < labelsNeeded(PROMISE.risk, PROMISE.certainty)) {
    return { cells: ['too few', 'n/a', 'n/a', 'n/a'] }
  }
  const random = seededRandom(SEED)
  const thresholds = Array.from({ length: DRAWS }, () => {
    const drawn = Array.from({ length: LABELS }, () => pool.hidden[Math.floor(random() * pool.hidden.length)]!)
    return lowestSafeThreshold(drawn, PROMISE) ?? 1
  })
  const accepted = thresholds.map((threshold) => share(unanswerable, threshold))
  const exceeded = accepted.filter((rate) => rate > PROMISE.risk).length
  const { low, high } = binomialInterval(exceeded, DRAWS)
  const cells = [
    meanOf(thresholds).toFixed(2),
    meanOf(accepted).toFixed(3),
    `${(exceeded / DRAWS).toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`,
    meanOf(thresholds.map((threshold) => share(real.asked, threshold))).toFixed(3),
  ]
  return { cells, broken: low > 1 - PROMISE.certainty }
}

function rankingRow(name: string, form: string, { written, real, unanswerable }: Measured, refuseBelow: number) {
  const refused = ({ asked }: Pool): string => (1 - share(asked, refuseBelow)).toFixed(3)
  const area = (scores: readonly number[]): string =>
    auroc([
      ...scores.map((score) => ({ score, answerable: true })),
      ...unanswerable.map((score) => ({ score, answerable: false })),
    ]).toFixed(3)
  const counts = [written.asked, real.asked, unanswerable].map(({ length }) => String(length))
  return [name, form, ...counts, refused(written), refused(real), area(written.asked), area(real.asked)]
}

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const REFUSE_BELOW = 0.55
const policies = balancedWithoutEach()
const ranking: string[][] = []
const carried: string[][] = []
const kept: string[] = []
const broken: string[] = []
for (const family of FAMILY_SETS) {
  const forms = { titles: fromTitles, ...(FAQS.includes(family) ? { headings: fromHeadings } : {}) }
  for (const [form, measure] of Object.entries(forms)) {
    const found = await measure(family, policies.get(family)!)
    ranking.push(rankingRow(family, form, found, REFUSE_BELOW))
    const drafts = carriedOver(found.written, found)
    carried.push([family, form, ...drafts.cells, ...carriedOver(found.real, found).cells])
    if (drafts.broken !== undefined) (drafts.broken ? broken : kept).push(`${family} (${form})`)
  }
}
const page = `# Questions written from documents, measured

\`rag-gate questions\` drafts labelled questions where there are none. This page says how far that carries. Written by
\`npm run bench -- written-questions\` (\`bench/written-questions.ts\`, seed ${SEED}); drafts without a model, since no model could be run
here: what one writes is not measured.

- *titles*: the title of each document, asked about as the command does.
- *headings*: half of the answers of a FAQ stand under their question, which is drafted as it is; people ask what the other
  half answers, whose questions stand nowhere. (In these sets only answers are indexed.)

## How the gate does on them

False refusals at the default threshold (${REFUSE_BELOW}), and AUROC against the same questions that must be refused, of drafted
questions and of those that people asked.

${markdownTable(
  ['family', 'form', 'drafted', 'asked', 'to refuse', 'false refusal, drafted', 'asked', 'AUROC, drafted', 'asked'],
  ranking,
)}

## What their thresholds do to real questions

Hidden gold of ${LABELS} questions, ${PROMISE.risk * 100} % stated with certainty ${PROMISE.certainty}, ${DRAWS} draws: mean threshold, realised false
acceptance among real questions that must be refused, draws in which it exceeded the stated rate (95 % interval), coverage
of real answerable questions; of drafted questions, and of the questions that people asked.

${markdownTable(
  [
    'family',
    'form',
    'threshold, drafted',
    'false acceptance',
    'exceeded',
    'coverage',
    'threshold, asked',
    'false acceptance',
    'exceeded',
    'coverage',
  ],
  carried,
)}

## What carries over, and what does not

- **How often the gate refuses or answers does not.** Drafted questions share the words of their passage, and their error
  rates say nothing about those of people. Do not report them.
- **A rate stated from them is no promise.** More than a tenth of the draws exceeded it, beyond chance, on ${broken.join(', ')};
  it held on ${kept.join(', ')}, mostly with little coverage. Nothing tells beforehand on which side a collection is.
- **They are a beginning**: they show that documents are found and that the journey works. Labels of both kinds keep more and
  promise it. A few documents with a title each are too few for any.
- \`rag-gate calibrate\` says so where its labels are drafts. Put them in the words of your readers, and label what
  must be refused.
`
console.log(page)
