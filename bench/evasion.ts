/**
 * Questions crafted to bypass the gate, and ordinary ones that must not be affected by the defences; results are in
 * docs/internal/evasion.md.
 *
 *   npm run bench -- evasion [PATTERN]
 *
 * With a pattern, only rows with matching names are asked. Off-topic questions (SQuAD, about articles that are in none
 * of these collections) are combined with something meant to open the gate: a sentence of the corpus, a question that
 * the corpus answers, or an alphabet of symbols. Drawn with a fixed seed; retrieval is that of the embedded index, the
 * policy `balanced`. "Before" measures the question as one text, in NFC, without refusals of the question itself.
 * "Learned" uses the scale that the collection learns after ingestion.
 */
import { fuse } from '../src/core/evidence/fusion.ts'
import type { Verdict } from '../src/core/gates/finding.ts'
import { judge } from '../src/core/policy/judge.ts'
import { logistic } from '../src/core/policy/logistic.ts'
import { measure } from '../src/core/policy/measure.ts'
import { definePolicy } from '../src/core/policy/policy.ts'
import { BALANCED_WEIGHTS } from '../src/presets/balanced/balanced-weights.ts'
import { idfMass } from '../src/core/text/lexicon.ts'
import { requireQuestion } from '../src/core/text/question.ts'
import { sentences } from '../src/core/text/sentences.ts'
import { createMemory } from '../src/core/signals/signal.ts'
import { balanced } from '../src/presets/balanced/balanced.ts'
import { benchGate } from './evaluation/bench-gate.ts'
import { scaleOf } from './evaluation/own-windows.ts'
import {
  ANSWERED_REQUESTS,
  BESIDE_QUESTIONS,
  EVERYDAY_QUESTIONS,
  EVERYDAY_REQUESTS,
  HELD_OUT_EVERYDAY,
  HELD_OUT_REQUESTS,
  OTHER_REQUESTS,
  STATED_WISHES,
  HELD_OUT_TALK,
} from './everyday-questions.ts'
import {
  haveQuestionSets,
  openQuestionSet,
  readCorpus,
  readQuestions,
  type SearchableSet,
} from './evaluation/question-sets.ts'
import {
  ATTACHED,
  COURTESIES,
  DRESSES,
  ended,
  FORUM,
  HELD_OUT_WORDING,
  LANGUAGE_WAYS,
  ORDINARY_WAYS,
  PEOPLE,
  type Ways,
} from './evasion/ways.ts'
import { markdownTable } from './markdown-table.ts'
import { percentage } from './percentage.ts'
import { seededRandom } from './seeded-random.ts'
import { terms } from '../src/language/english/terms.ts'

const [, , ONLY = ''] = process.argv
const SEED = 12
const TOP_K = 10
/** Number per collection. */
const OFF_TOPIC = 50
const ORDINARY = 100
const COLLECTIONS = ['azure-faq', 'gov-faq', 'tex-faq', 'perl-faq', 'covid-qa', 'clapnq'] as const
/** Collections whose verdicts were not looked at while the rules for parts and small talk were made. */
const LEFT_OUT = ['squad-ooc', 'scifact-missing'] as const

const policy = balanced()
/** Judges the question as a whole, as before. */
const WHOLE = definePolicy({
  ...policy,
  confidence: logistic({ ...BALANCED_WEIGHTS, provenance: '' }),
  gates: policy.gates.slice(-1),
})
const lasting = createMemory()

interface Verdicts {
  readonly before: Verdict
  /** At the fixed thresholds. */
  readonly after: Verdict
  /** On the collection's scale, as in the ready Worker. */
  readonly learned: Verdict
}

type Asking = (text: string) => Promise<Verdicts>

/** Asks a set with the current gate, and with the earlier one. */
async function asking(name: string, set: SearchableSet): Promise<Asking> {
  const gate = benchGate(set, { policy })
  const learned = await scaleOf(name, set, policy)
  return async (text) => {
    const before = askBefore(set, text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim())
    if (!attempted(() => requireQuestion(text))) return { before, after: 'refuse', learned: 'refuse' }
    const { verdict, signals } = (await gate(text)).decision
    const scale = { ...learned, learnedAtMs: 0, corpusVersion: 1 }
    return { before, after: verdict, learned: judge(policy, { ...signals, scale }).verdict }
  }
}

/** Whether the middleware accepts the question at all. */
function attempted(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

function askBefore({ search, lexicon }: SearchableSet, question: string): Verdict {
  const options = { idfMass: idfMass(lexicon, terms(question)), topK: TOP_K }
  const evidence = fuse(search(question, TOP_K), options)
  const whole = { question, parts: { bare: question, parts: [question] }, evidence, lexicon, lasting }
  return judge(WHOLE, measure(WHOLE, whole)).verdict
}

function named<Way>(ways: Readonly<Record<string, Way>>): readonly (readonly [name: string, way: Way])[] {
  return Object.entries(ways).filter(([name]) => name.search(ONLY) >= 0)
}

function counted(name: string, verdicts: readonly Verdicts[], isCounted: (verdict: Verdict) => boolean): string[] {
  const of = (when: keyof Verdicts): string =>
    percentage(verdicts.filter((each) => isCounted(each[when])).length, verdicts.length)
  return [name, String(verdicts.length), of('before'), of('after'), of('learned')]
}

interface Drawn {
  readonly ask: Asking
  readonly off: readonly Ways[]
  readonly ordinary: readonly Ways[]
}

const isQuotable = ({ length }: string): boolean => length > 50 && length < 250

/** @param order of the collection: each begins with other everyday questions */
async function draw(name: string, order: number, offTopic: readonly string[], random: () => number): Promise<Drawn> {
  const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(random() * list.length)]!
  const set = openQuestionSet(name)
  const answerable = set.questions.filter((question) => question.answerable)
  const quotable = readCorpus(name)
    .flatMap(({ text }) => sentences(text))
    .filter(isQuotable)
  const ways = (_: unknown, at: number): Ways => {
    const asked = pick(answerable)
    const own = sentences(set.search(asked.question, 1)[0]!.entries[0]!.passage.text)
    const request = EVERYDAY_REQUESTS[(order * OFF_TOPIC + at) % EVERYDAY_REQUESTS.length]!
    const near = answerable.filter((other) => other.group === asked.group && other !== asked)
    const other = pick(near.length > 0 ? near : answerable).question
    return {
      off: ended(pick(offTopic)),
      question: asked.question,
      other,
      everyday: EVERYDAY_QUESTIONS[(order * OFF_TOPIC + at) % EVERYDAY_QUESTIONS.length]!,
      request: ANSWERED_REQUESTS[name]?.includes(request) ? undefined : request,
      stated: STATED_WISHES[(order * OFF_TOPIC + at) % STATED_WISHES.length]!,
      subject: OTHER_REQUESTS[(order * OFF_TOPIC + at) % OTHER_REQUESTS.length]!,
      heldOut: HELD_OUT_REQUESTS[(order * OFF_TOPIC + at) % HELD_OUT_REQUESTS.length]!,
      heldOutEveryday: HELD_OUT_EVERYDAY[(order * OFF_TOPIC + at) % HELD_OUT_EVERYDAY.length]!,
      heldOutTalk: HELD_OUT_TALK[(order * ORDINARY + at) % HELD_OUT_TALK.length]!,
      sentence: pick(quotable),
      own: own.find(isQuotable) ?? own[0]!,
      forum: pick(FORUM),
      beside: BESIDE_QUESTIONS[(order * ORDINARY + at) % BESIDE_QUESTIONS.length]!,
      dress: DRESSES[at % DRESSES.length]!,
      person: PEOPLE[at % PEOPLE.length]!,
      turn: order * ORDINARY + at,
    }
  }
  return {
    ask: await asking(name, set),
    off: Array.from({ length: OFF_TOPIC }, ways),
    ordinary: Array.from({ length: ORDINARY }, ways),
  }
}

async function offTopicTable(drawn: readonly Drawn[]): Promise<string> {
  const rows: string[][] = []
  for (const [name, write] of named(ATTACHED)) {
    const texts = drawn.flatMap(({ ask, off }) => off.map((of) => ({ ask, text: write(of) })))
    const verdicts = await Promise.all(texts.flatMap(({ ask, text }) => (text === undefined ? [] : ask(text))))
    rows.push([
      name,
      String(verdicts.length),
      ...counted(name, verdicts, (verdict) => verdict === 'pass').slice(2),
      ...counted(name, verdicts, (verdict) => verdict === 'advise').slice(2),
    ])
  }
  const heads = ['pass', 'advise'].flatMap((verdict) =>
    ['before', 'after', 'learned'].map((when) => `${verdict}, ${when}`),
  )
  return markdownTable(['how it is asked', 'n', ...heads], rows)
}

/** Share of requests that pass after an on-topic question, but not alone. */
async function passedByAttaching(drawn: readonly Drawn[], of: (ways: Ways) => string | undefined): Promise<string> {
  const asked = drawn.flatMap(({ ask, off }) =>
    off.map(async (ways) => {
      const text = of(ways)
      if (text === undefined) return false
      const [alone, attached] = [await ask(text), await ask(`${ended(ways.question)} ${text}`)]
      return attached.after === 'pass' && alone.after !== 'pass'
    }),
  )
  const passed = await Promise.all(asked)
  return percentage(passed.filter(Boolean).length, passed.length)
}

const isAnswered = (verdict: Verdict): boolean => verdict !== 'refuse'

async function ordinaryTable(drawn: readonly Drawn[], others: readonly string[][] = []): Promise<string> {
  const rows: string[][] = []
  const heldOut: Verdicts[] = []
  for (const [name, write] of named(ORDINARY_WAYS)) {
    const verdicts = await Promise.all(drawn.flatMap(({ ask, ordinary }) => ordinary.map((of) => ask(write(of)))))
    rows.push(counted(name, verdicts, isAnswered))
    if (name.startsWith(HELD_OUT_WORDING)) heldOut.push(...verdicts)
  }
  if (heldOut.length > 0) rows.push(counted(`${HELD_OUT_WORDING} all`, heldOut, isAnswered))
  const both = drawn.flatMap(({ ask, ordinary }) =>
    ordinary.map(async ({ question, other }): Promise<Verdicts> => {
      const [first, second] = [await ask(question), await ask(other)]
      const of = (when: keyof Verdicts): Verdict => (isAnswered(first[when]) ? second[when] : first[when])
      return { before: of('before'), after: of('after'), learned: of('learned') }
    }),
  )
  rows.push(counted('each of the two alone, both answered', await Promise.all(both), isAnswered), ...others)
  return markdownTable(['how it is asked', 'n', 'before', 'after', 'learned'], rows)
}

const LANGUAGES = ['xquad-en', 'xquad-de', 'xquad-zh', 'xquad-ar'] as const
/** Number for each language. */
const ASKED_IN_LANGUAGES = 300

/** On the collection's own scale; all sets but xquad-en are read without a language. */
async function otherLanguages(): Promise<string> {
  const rows: string[][] = []
  for (const name of LANGUAGES) {
    const set = openQuestionSet(name)
    const gate = benchGate(set, { policy, scale: await scaleOf(name, set, policy) })
    const [known, unknown] = [true, false].map((answerable) => spread(questionsOf(set, answerable)))
    const quotable = spread(
      readCorpus(name)
        .flatMap(({ text }) => sentences(text))
        .filter(({ length }) => length > 20 && length < 250),
    )
    for (const [way, write] of named(LANGUAGE_WAYS)) {
      const verdicts: Verdict[] = []
      for (let at = 0; at < ASKED_IN_LANGUAGES; at++) {
        const other = (at * 37) % ASKED_IN_LANGUAGES
        const told = {
          courtesies: COURTESIES[name],
          known: known![at]!,
          unknown: unknown![other]!,
          sentence: quotable[at]!,
        }
        verdicts.push((await gate(write(told))).decision.verdict)
      }
      const passed = verdicts.filter((verdict) => verdict === 'pass').length
      rows.push([
        name,
        way,
        percentage(passed, verdicts.length),
        percentage(verdicts.filter(isAnswered).length, verdicts.length),
      ])
    }
  }
  return markdownTable(['set', 'how it is asked', 'pass', 'answered'], rows)
}

function questionsOf({ questions }: SearchableSet, answerable: boolean): readonly string[] {
  return questions.filter((label) => label.answerable === answerable).map(({ question }) => question)
}

/** An evenly spaced sample. */
function spread(texts: readonly string[]): readonly string[] {
  return Array.from(
    { length: ASKED_IN_LANGUAGES },
    (_, at) => texts[Math.floor((at * texts.length) / ASKED_IN_LANGUAGES)]!,
  )
}

async function page(
  drawn: readonly Drawn[],
  leftOut: readonly Drawn[],
  keywords: readonly Verdicts[],
): Promise<string> {
  const single: string[][] = []
  for (const word of ['x', 'ok', 'gate', 'help', 'thanks', 'document']) {
    const verdicts = await Promise.all(drawn.map(({ ask }) => ask(word)))
    single.push(counted(`\`${word}\``, verdicts, isAnswered))
  }
  const attached = await passedByAttaching(drawn, ({ request }) => request)
  const heldOut = await passedByAttaching(drawn, ({ heldOutEveryday }) => heldOutEveryday)
  return `# Questions made to slip past the gate

\`npm run bench -- evasion\`, seed ${SEED}: ${OFF_TOPIC} off-topic questions against each of ${COLLECTIONS.join(', ')}, under \`balanced\`;
exact 95 % intervals. "Before": a question is measured as one text, in NFC, without refusals of the question itself. "After": the current
gate. "Learned": the same on a scale that the collection learned.

## Off-topic questions: passed, and answered with a caution

${await offTopicTable(drawn)}

After an on-topic question, ${attached} of the everyday requests pass that do not pass alone; of the held-out requests, ${heldOut}.
Everyday: ${EVERYDAY_QUESTIONS.length} questions, ${EVERYDAY_REQUESTS.length} requests. Held-out requests, not used for the rules: ${HELD_OUT_EVERYDAY.length} of everyday words, ${HELD_OUT_REQUESTS.length} of other subjects.

## Ordinary questions: answered, with or without a caution

${ORDINARY} answerable questions of each collection. Small talk: ${FORUM.length} sentences as in forums, ${BESIDE_QUESTIONS.length} beside questions, ${HELD_OUT_TALK.length} held-out sentences, not used for the rules.

${await ordinaryTable(drawn, [counted('keywords only (gov-faq, tex-faq)', keywords, isAnswered)])}

## Held-out collections, not used while the rules were made

${LEFT_OUT.join(', ')}, drawn in the same way.

${await offTopicTable(leftOut)}

${await ordinaryTable(leftOut)}

## In other languages, on the learned scale

${ASKED_IN_LANGUAGES} of each.

${await otherLanguages()}

## Single words: answered

One for each collection.

${markdownTable(['word', 'n', 'before', 'after', 'learned'], single)}
`
}

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const random = seededRandom(SEED)
const offTopic = openQuestionSet('squad-ooc').questions.filter(({ answerable }) => !answerable)
const offTopicQuestions = offTopic.map(({ question }) => question)
const drawAll = async (names: readonly string[]): Promise<readonly Drawn[]> => {
  const all: Drawn[] = []
  for (const [order, name] of names.entries()) all.push(await draw(name, order, offTopicQuestions, random))
  return all
}
const drawn = await drawAll(COLLECTIONS)
const leftOut = await drawAll(LEFT_OUT)
const keywords: Verdicts[] = []
for (const name of ['gov-faq', 'tex-faq'] as const) {
  const { ask } = drawn[COLLECTIONS.indexOf(name)]!
  for (const { question, answerable } of readQuestions(name, 'keywords')) {
    if (answerable) keywords.push(await ask(question))
  }
}
const written = await page(drawn, leftOut, keywords)
console.log(written)
