/**
 * What it saves and what it changes when only the uncertain middle is sent to a reader, written to docs/cascades.md.
 *
 *   npm run bench -- cascades
 *
 * The reader is a stand-in: it knows the labels, grades the passages that answer, and is wrong about so many questions as
 * it is set to. Every question goes through the gate, with `retrieval.rerankBetween`; `balanced` is fitted
 * without the set. Which questions the reader is wrong about is drawn with a fixed seed.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { binomialInterval } from '../packages/calibration/src/binomial-interval.ts'
import { meanOf } from '../src/core/lib/statistics.ts'
import { definePolicy, type Policy } from '../src/core/policy/policy.ts'
import { balancedGraded } from '../src/presets/balanced/balanced-graded.ts'
import { calibratedWithReader } from './calibration/with-reader.ts'
import { balancedWithoutEach, benchGate } from './evaluation/bench-gate.ts'
import { FAMILY_SETS, haveQuestionSets, openQuestionSet } from './evaluation/question-sets.ts'
import { standInReader } from './evaluation/stand-in-reader.ts'
import { markdownTable } from './markdown-table.ts'

const PAGE = join(import.meta.dirname, '..', 'docs', 'cascades.md')
const SEED = 20_261_122
/** The larger sets are sampled. */
const EVERY: Readonly<Record<string, number>> = { 'squad-ooc': 10, 'covid-qa': 2 }
/** Questions that the reader is wrong about. */
const ERRORS = [0, 0.1, 0.2, 0.3]
/** Confidences between which it is asked; the first asks it always, the last never. */
const MIDDLES: readonly (readonly [from: number, below: number])[] = [
  [0, 1],
  [0.05, 0.98],
  [0.1, 0.95],
  [0.2, 0.9],
  [0.3, 0.8],
  [0.55, 0.55],
]

/** A question judged in one way. */
interface Judged {
  readonly answerable: boolean
  readonly answered: boolean
  readonly read: boolean
}

/** Grades where there are any, words at the default thresholds elsewhere. */
function graded({ confidence }: Policy): Policy {
  return definePolicy({ ...balancedGraded(), confidence })
}

/** The questions of a set, judged with a reader of so many errors within a middle. */
async function judged(
  name: string,
  general: Policy,
  [from, below]: readonly [number, number],
  errors: number,
): Promise<readonly Judged[]> {
  const set = openQuestionSet(name, { every: EVERY[name] ?? 1 })
  const never = from === below
  // A confidence may be 1, and then it is read too where all are.
  const retrieval = { rerankBetween: [from, below] as const }
  const ask = benchGate(set, {
    policy: graded(general),
    ...(never ? {} : { retrieval, reranker: standInReader(set.questions, errors, SEED) }),
  })
  const found: Judged[] = []
  for (const { question, answerable } of set.questions) {
    const { decision } = await ask(question)
    found.push({ answerable, answered: decision.verdict !== 'refuse', read: decision.reranker === 'ok' })
  }
  return found
}

function rate(hits: number, trials: number): string {
  const { low, high } = binomialInterval(hits, trials)
  return `${(hits / trials).toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`
}

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const policies = balancedWithoutEach()
const rows: string[][] = []
const bySet: string[][] = []
let count = 0
for (const errors of ERRORS) {
  let all: readonly (readonly Judged[])[] | undefined
  for (const middle of MIDDLES) {
    const sets: (readonly Judged[])[] = []
    for (const name of FAMILY_SETS) sets.push(await judged(name, policies.get(name)!, middle, errors))
    all ??= sets
    const flat = sets.flat()
    const always = all.flat()
    count = flat.length
    const share = (of: (set: readonly Judged[], at: number) => number): string => meanOf(sets.map(of)).toFixed(3)
    const wrong = (kind: boolean) => (set: readonly Judged[]) =>
      meanOf(set.filter(({ answerable }) => answerable === kind).map(({ answered }) => (answered === kind ? 0 : 1)))
    const changed = flat.filter(({ answered }, at) => answered !== always[at]!.answered)
    rows.push([
      String(errors),
      middle[0] === 0 ? 'always' : middle[0] === middle[1] ? 'never' : middle.join(' to '),
      share((set) => meanOf(set.map(({ read }) => (read ? 0 : 1)))),
      rate(changed.length, flat.length),
      share(wrong(false)),
      share(wrong(true)),
    ])
    if (errors === 0.1 && middle[0] === 0.2) {
      sets.forEach((set, at) => {
        const kind = (answerable: boolean): string => wrong(answerable)(set).toFixed(3)
        const before = (answerable: boolean): string => wrong(answerable)(all![at]!).toFixed(3)
        bySet.push([
          FAMILY_SETS[at]!,
          String(set.length),
          rate(set.filter(({ read }) => !read).length, set.length),
          rate(set.filter(({ answered }, index) => answered !== all![at]![index]!.answered).length, set.length),
          `${before(false)} → ${kind(false)}`,
          `${before(true)} → ${kind(true)}`,
        ])
      })
    }
  }
}
const calibrated: string[][] = []
for (const errors of [0.1, 0.2]) {
  for (const middle of [undefined, [0.2, 0.9] as const]) {
    calibrated.push(...(await calibratedWithReader(policies, errors, SEED, middle)))
  }
}
const page = `# Reading only the uncertain middle

A reranker that reads (a cross-encoder, a model that grades) costs a call and its time for every question. Words alone are
sure about many: what nothing in the collection resembles, and what a passage nearly repeats. With two bounds the reranker is
asked only where the confidence of the judgement without it lies between them; elsewhere that judgement stands, and the
decision says \`"reranker": "spared"\`.

In the ready Worker two variables set them, and \`balanced-graded\` is the policy for it:

\`\`\`sh
# .dev.vars, or \`wrangler secret put\`: with LLM_BASE_URL, LLM_API_KEY and LLM_MODEL
RERANKER=llm
RERANK_FROM=0.1
RERANK_BELOW=0.95
\`\`\`

\`\`\`sh
curl -X PUT "$RAG_GATE_URL/v1/policy" -H "authorization: Bearer $ADMIN_TOKEN" \\
  -H 'content-type: application/json' -d '{"policy":"balanced-graded"}'
\`\`\`

A bound that is no share, bounds that leave nothing between them, and bounds without a \`RERANKER\` are \`config_invalid\`:
nothing is answered, and \`npm start\` ends. In an app of your own:

\`\`\`ts
import type { RagGateOptions } from 'hono-rag-gate'
import { balancedGraded } from 'hono-rag-gate/balanced'

export const cascade: Pick<RagGateOptions<never>, 'policy' | 'retrieval'> = {
  policy: balancedGraded(),
  retrieval: { rerankBetween: [0.1, 0.95] },
}
\`\`\`

Under \`balancedGraded()\` a passage must be graded 2 and up where a model graded them, and \`balanced\` judges where none did:
where words were sure, and where the model failed. So a reader that is down makes the gate what it is without one, no more
lenient. It goes with [a model that grades](reference/adapters.md#rerankers); a cross-encoder's scores are counted by a
policy that [\`rag-gate calibrate\`](calibration.md) made, or judged by a
[rule of your own](reference/middleware.md#rules-of-your-own). Both bounds join the answer key.

## Measured

Written by \`npm run bench -- cascades\` (\`bench/cascades.ts\`, seed ${SEED}) on ${new Date().toISOString().slice(0, 10)}: ${count} questions of ${FAMILY_SETS.length} families, \`balanced\` fitted without each.
No real reader was run. The reader is a stand-in that knows the labels: it finds relevant what answers and nothing else, and
is wrong about the share of questions in the first column, drawn at random: a relevant passage goes unseen, or the first
passage is taken for one. What no search found, it cannot read. Its errors do not depend on how hard a question is; those
of a real reader do, and lie where words are unsure too: expect less than this from one of the same share of errors.

Saved: questions not sent to it, mean of the families. Changed: verdicts other than when it is always asked, of all
questions, with exact 95 % intervals. *Never*: the confidence alone, at the default threshold.

${markdownTable(['errors of the reader', 'asked', 'calls saved', 'verdicts changed', 'false acceptance', 'false refusal'], rows)}

What follows:

- A reader that is never wrong loses by being spared: two questions in a hundred change for a third of its calls.
- One that is wrong about a tenth of the questions and more gains by it: it cannot spoil what words are sure of, so
  that a third of the calls is saved and fewer questions are judged wrongly than when it reads all.
- What is saved is the share of questions that words are sure about, and differs by collection, as the next table shows.
  \`rag-gate eval --results\` has the confidences of yours.
- The bounds are no promise: neither was chosen by these figures. Measure the verdicts with \`rag-gate eval\`.

By family, with errors of 0.1 and the middle from 0.2 to 0.9; rates as when it is always asked → in the cascade:

${markdownTable(['set', 'n', 'calls saved', 'verdicts changed', 'false acceptance', 'false refusal'], bySet)}

## Calibrated on a collection that has a reader

\`rag-gate calibrate\` fits weights of the reader's scores around the general confidence, where 20 labels and up of each kind were
read. In a cascade they count for the questions that were read; for the others the general confidence stands as it is, so
that the policy spares the same questions as the labels were measured with. Reader and bounds stand in the policy's pin:
under others it judges nothing. Where the reader fails on a question that was to be read, that is refused (\`reader_failed\`).

*Labels* of each kind, 200 draws a family, the same reader and its errors, 5 % stated with certainty .9; rates are counted on
questions that were not drawn, of which small families have few, so that *exceeded* counts some chance. *Thresholds* leaves the
reader out of the confidence.

${markdownTable(['errors', 'asked', 'read', 'labels', 'fitted', 'realised', 'exceeded', 'coverage'], calibrated)}

Weights keep more of the answerable questions wherever the reader says something, and let no more through. How thresholds
alone keep the stated rate is proved ([calibration](calibration.md#how-it-is-computed)): what their rows show beyond a tenth is
the chance of counting on few questions: on all questions of a family they were exceeded in
[8 % of the draws](internal/calibration-measured.md#mean-of-the-families). With weights it is measured, not proved; they stand at whole
counts, and were exceeded no more often.
`
writeFileSync(PAGE, page)
console.log(page)
