/**
 * How much small talk in other languages costs, and how much `withSmallTalk` wins back; results are in
 * docs/internal/sturdiness.md.
 *
 *   npm run bench -- small-talk
 *
 * The messages were written independently and were not read while the lists were made (`evaluation/small-talk.json`, `{}`
 * stands for the question). In each language it is counted how many are reduced to what is asked. In those of which there
 * is a question set, answerable and unanswerable questions are asked in them, on the collection's own scale.
 */
import { readFileSync } from 'node:fs'
import { languages, withSmallTalk } from '../packages/messages/src/small-talk/index.ts'
import type { Policy } from '../src/core/policy/policy.ts'
import type { Language } from '../src/core/text/language.ts'
import { normaliseQuestion } from '../src/core/text/normalise.ts'
import { words } from '../src/core/text/words.ts'
import { english } from '../src/language/english/english.ts'
import { balanced } from '../src/presets/balanced/balanced.ts'
import { benchGate } from './evaluation/bench-gate.ts'
import { scaleOf } from './evaluation/own-windows.ts'
import { haveQuestionSets, openQuestionSet } from './evaluation/question-sets.ts'
import { markdownTable } from './markdown-table.ts'
import { percentage } from './percentage.ts'

interface Held {
  readonly messages: readonly string[]
  readonly longMessages: readonly string[]
  /** Sentences in which an indirect question stands. */
  readonly introductions: readonly string[]
  readonly questions: readonly string[]
  readonly indirectQuestions: readonly string[]
}

const HELD_OUT = JSON.parse(readFileSync(new URL('evaluation/small-talk.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Held>
>
const SETS = ['de', 'zh', 'ar']
/** Questions of each kind and set. */
const ASKED = 300

const all = withSmallTalk(english, languages)

const put = (message: string, question: string): string => message.replace('{}', () => question)
const sorted = (text: string): string => words(text).sort().join(' ')

/** How many messages are reduced to the words of the question in them. */
function reduced(language: Language, messages: readonly string[], questions: readonly string[]): number {
  const asked = (text: string): string => sorted(language.partsOf(normaliseQuestion(text)).bare)
  return messages.filter((message, at) => {
    const question = questions[at % questions.length]!
    const left = asked(put(message, question))
    return left === sorted(question) || left === asked(question)
  }).length
}

function byLanguage(): string {
  const kinds = (held: Held) =>
    [
      [held.messages, held.questions],
      [held.longMessages, held.questions],
      [held.introductions, held.indirectQuestions],
    ] as const
  const sums = [0, 1, 2].map((kind) =>
    [english, all].map((language) =>
      Object.values(HELD_OUT).reduce((sum, held) => sum + reduced(language, ...kinds(held)[kind]!), 0),
    ),
  )
  const counts = [0, 1, 2].map((kind) =>
    Object.values(HELD_OUT).reduce((sum, held) => sum + kinds(held)[kind]![0].length, 0),
  )
  const rows = Object.entries(HELD_OUT).map(([name, held]) => [
    name,
    ...kinds(held).map((kind) => `${reduced(english, ...kind)} → ${reduced(all, ...kind)} of ${kind[0].length}`),
  ])
  const total = [
    'all',
    ...sums.map(
      ([before, after], kind) => `${percentage(before!, counts[kind]!)} → ${percentage(after!, counts[kind]!)}`,
    ),
  ]
  return markdownTable(['language', 'messages', 'long messages', 'introductions'], [...rows, total])
}

/** Answered, of the questions in one of the messages, under the policy with and without small talk. */
async function bySet(): Promise<string> {
  const rows: string[][] = []
  for (const code of SETS) {
    const name = `xquad-${code}`
    const set = openQuestionSet(name)
    const given = balanced()
    const scale = await scaleOf(name, set, given)
    const gateOf = (policy: Policy) => benchGate(set, { policy, scale })
    const [plain, withTalk] = [gateOf(given), gateOf(balanced({ language: all }))]
    for (const answerable of [true, false]) {
      const questions = set.questions.filter((each) => each.answerable === answerable)
      const asked = Array.from(
        { length: ASKED },
        (_, at) => questions[Math.floor((at * questions.length) / ASKED)]!.question,
      )
      const { messages } = HELD_OUT[code]!
      const counted = { alone: 0, before: 0, after: 0, passed: 0 }
      for (const [at, question] of asked.entries()) {
        const text = put(messages[at % messages.length]!, question)
        const verdicts = [await plain(question), await plain(text), await withTalk(text)].map(
          ({ decision }) => decision.verdict,
        )
        if (verdicts[0] !== 'refuse') counted.alone++
        if (verdicts[1] !== 'refuse') counted.before++
        if (verdicts[2] !== 'refuse') counted.after++
        if (verdicts[2] === 'pass') counted.passed++
      }
      const rates = [counted.alone, counted.before, counted.after, counted.passed].map((hits) =>
        percentage(hits, ASKED),
      )
      rows.push([`${name}, ${answerable ? 'answerable' : 'unanswerable'}`, ...rates])
    }
  }
  return markdownTable(['questions', 'alone', 'in a message', 'with small talk', 'of these without a caution'], rows)
}

console.log(`# Small talk in other languages

\`npm run bench -- small-talk\`: held-out messages reduced to what is asked, under English → under \`withSmallTalk\` with
${languages.length} languages; exact 95 % intervals.

${byLanguage()}
`)
if (haveQuestionSets()) {
  console.log(`Answered, with or without a caution, of ${ASKED} questions, on the collection's own scale:

${await bySet()}`)
} else console.log('The question sets are not here (../shared/data): nothing is asked.')
