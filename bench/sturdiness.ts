/**
 * How variants of questions change the verdicts of `balanced`; results are in docs/internal/sturdiness.md.
 *
 *   npm run bench -- sturdiness
 *
 * Every variant goes through the whole gate. `balanced` is fitted without the set that it judges, on the original
 * questions, and has its default thresholds. Typos are drawn with a fixed seed.
 */
import { meanOf } from '../src/core/lib/statistics.ts'
import type { Policy } from '../src/core/policy/policy.ts'
import { judge } from '../src/core/policy/judge.ts'
import { balancedWithoutEach, gatedSet, type GatedSet } from './evaluation/bench-gate.ts'
import { QUESTION_FORMS } from './evaluation/question-forms.ts'
import { FAMILY_SETS, haveQuestionSets, type ReadingOptions } from './evaluation/question-sets.ts'
import { CHAT_MESSAGES, inMessage } from './evaluation/chat-messages.ts'
import { askedIn, WAYS_OF_ASKING } from './evaluation/ways-of-asking.ts'
import { markdownTable } from './markdown-table.ts'
import { seededRandom } from './seeded-random.ts'

/** The larger sets are sampled, so that each has about three hundred questions. */
const EVERY: Readonly<Record<string, number>> = { 'squad-ooc': 20, clapnq: 2, 'covid-qa': 3, 'scifact-missing': 2 }
const WITH_NOISY_FORMS: readonly string[] = ['gov-faq', 'tex-faq']
const DRAWS = 1000
const SEED = 20_261_122

/** Whether each question of a set was answered, in the order of the file. */
interface Answered {
  readonly ids: readonly string[]
  readonly texts: readonly string[]
  readonly answerable: readonly boolean[]
  readonly answered: readonly boolean[]
  /** Whether it was refused for being one word. */
  readonly oneWord: readonly boolean[]
}

function answers(set: GatedSet, policy: Policy): Answered {
  const judged = set.questions.map(({ signals, textFindings }) => judge(policy, signals, textFindings))
  return {
    ids: set.questions.map(({ id }) => id),
    texts: set.questions.map(({ question }) => question),
    answerable: set.questions.map(({ answerable }) => answerable),
    answered: judged.map(({ verdict }) => verdict !== 'refuse'),
    oneWord: judged.map(({ reason }) => reason === 'question_too_short'),
  }
}

/** Results for the questions with another variant, in the order of those. */
function onlyThose({ ids, texts, answerable, answered, oneWord }: Answered, wanted: readonly string[]): Answered {
  const places = wanted.map((id) => ids.indexOf(id))
  return {
    ids: wanted,
    texts: places.map((at) => texts[at]!),
    answerable: places.map((at) => answerable[at]!),
    answered: places.map((at) => answered[at]!),
    oneWord: places.map((at) => oneWord[at]!),
  }
}

/** Change of the error rate compared with the original questions, in percentage points. */
function change(asked: readonly Answered[], formed: readonly Answered[], kind: boolean): string {
  const wrong = ({ answered }: Answered, at: number): number => (answered[at] === kind ? 0 : 1)
  const differences = asked.map((own, set) =>
    own.answerable.flatMap((answerable, at) => (answerable === kind ? [wrong(formed[set]!, at) - wrong(own, at)] : [])),
  )
  const random = seededRandom(SEED)
  const draws = Array.from({ length: DRAWS }, () =>
    meanOf(differences.map((own) => meanOf(own.map(() => own[Math.floor(random() * own.length)]!)))),
  ).sort((a, b) => a - b)
  const points = (value: number): string => `${value < -0.0005 ? '−' : ''}${Math.abs(100 * value).toFixed(1)}`
  const bound = (share: number): string => points(draws[Math.floor(share * (DRAWS - 1))]!)
  return `${points(meanOf(differences.map(meanOf)))} (${bound(0.025)} to ${bound(0.975)})`
}

function worst(asked: readonly Answered[], formed: readonly Answered[], names: readonly string[]): string {
  const refused = ({ answerable, answered }: Answered): number =>
    meanOf(answerable.flatMap((kind, at) => (kind ? [answered[at] ? 0 : 1] : [])))
  const rises = asked.map((own, set) => refused(formed[set]!) - refused(own))
  const most = Math.max(...rises)
  return most < 0.0005 ? '–' : `${names[rises.indexOf(most)]}: ${(100 * most).toFixed(1)}`
}

/** How many of the additional false refusals are for being one word, in words. */
function ofOneWord(asked: readonly Answered[], formed: readonly Answered[]): string {
  let [lost, won, alone] = [0, 0, 0]
  const points = asked.map((own, set) => {
    const form = formed[set]!
    let single = 0
    own.answerable.forEach((answerable, at) => {
      if (!answerable || own.answered[at] === form.answered[at]) return
      if (form.answered[at]) won++
      else lost++
      if (form.oneWord[at]) single++
    })
    alone += single
    return (100 * single) / own.answerable.filter(Boolean).length
  })
  return `${lost} answerable questions are refused only as keywords, ${won} are answered only as keywords; ${alone} of the ${lost} are left with one word, ${meanOf(points).toFixed(1)} points`
}

async function page(): Promise<string> {
  const policies = balancedWithoutEach()
  const answersTo = async (names: readonly string[], options: ReadingOptions, sampled = true): Promise<Answered[]> => {
    const found: Answered[] = []
    for (const name of names) {
      const every = sampled ? (EVERY[name] ?? 1) : 1
      found.push(answers(await gatedSet(name, { every, ...options }), policies.get(name)!))
    }
    return found
  }
  const row = (
    label: string,
    names: readonly string[],
    asked: readonly Answered[],
    formed: readonly Answered[],
  ): string[] => [label, change(asked, formed, true), change(asked, formed, false), worst(asked, formed, names)]
  const asked = await answersTo(FAMILY_SETS, {})
  const rows: string[][] = []
  for (const [label, form] of Object.entries(QUESTION_FORMS)) {
    rows.push(row(label, FAMILY_SETS, asked, await answersTo(FAMILY_SETS, { form })))
  }
  rows.push(row('every passage stored twice', FAMILY_SETS, asked, await answersTo(FAMILY_SETS, { storedTwice: true })))
  for (const [label, list] of [
    ['in one of PLACES chat messages used for the rules', CHAT_MESSAGES.used],
    ['in one of PLACES held-out chat messages', CHAT_MESSAGES.heldOut],
  ] as const) {
    const formed = await answersTo(FAMILY_SETS, { form: (question, at) => inMessage(list, question, at) })
    rows.push(row(label.replace('PLACES', String(list.length)), FAMILY_SETS, asked, formed))
  }
  const ways: string[][] = []
  for (const [label, list] of [
    ['ways used for the rules', WAYS_OF_ASKING.used],
    ['held-out ways', WAYS_OF_ASKING.heldOut],
  ] as const) {
    const formed = await answersTo(FAMILY_SETS, { form: (question, at) => askedIn(list, question, at) ?? question })
    const wanted = asked.map(({ ids, texts }) => ids.filter((_, at) => askedIn(list, texts[at]!, at) !== undefined))
    const [own, other] = [asked, formed].map((all) => all.map((each, set) => onlyThose(each, wanted[set]!)))
    const count = (kind: boolean): number =>
      own!.reduce((sum, { answerable }) => sum + answerable.filter((each) => each === kind).length, 0)
    ways.push(row(`${label} (n = ${count(true)}, ${count(false)})`, FAMILY_SETS, own!, other!))
  }
  const noisy: string[][] = []
  let keywords = ''
  for (const variant of ['typos', 'keywords'] as const) {
    const formed = await answersTo(WITH_NOISY_FORMS, { variant }, false)
    const whole = await answersTo(WITH_NOISY_FORMS, {}, false)
    const all = whole.map((own, set) => onlyThose(own, formed[set]!.ids))
    const label = {
      typos: 'lower case, no punctuation, a typo for every six longer words',
      keywords: 'at most five keywords',
    }[variant]
    const count = formed.reduce((sum, { ids }) => sum + ids.length, 0)
    if (variant === 'keywords') keywords = ofOneWord(all, formed)
    noisy.push(row(`${label} (n = ${count})`, WITH_NOISY_FORMS, all, formed))
  }
  const count = (kind: boolean): number =>
    asked.reduce((sum, { answerable }) => sum + answerable.filter((own) => own === kind).length, 0)
  const head = ['form', 'false refusal', 'false acceptance', 'largest increase of false refusal']
  return `# Forms of a question

\`npm run bench -- sturdiness\`, seed ${SEED}: change of the error rates in percentage points at the default thresholds, mean of ${FAMILY_SETS.length} sets
(${count(true)} answerable questions, ${count(false)} unanswerable; of the larger sets every second to twentieth), with 95 % intervals from ${DRAWS}
draws. \`balanced\` is fitted without the set.

${markdownTable(head, rows)}

"What is …?" and "How do I …?" asked otherwise, each question in one of some sixty ways:

${markdownTable(head, ways)}

Forms that two sets contain (${WITH_NOISY_FORMS.join(', ')}):

${markdownTable(head, noisy)}

Of the keywords: ${keywords}.
`
}

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const written = await page()
console.log(written)
