/**
 * Benefit and risk of sharing an answer among wordings with the same stems: the share of paraphrases that are
 * recognised, and the number of similar questions with another meaning that are confused; by stems alone, and with the
 * evidence of both retrieved and judged by `gateQuestion`. Prints a table for docs/caching.md.
 *
 *   npm run bench -- other-wordings
 *
 * Besides the package's readers: index terms, which leave out all stop words but negations and question words.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMemoryAnswerCache } from '../src/adapters/memory-answer-cache.ts'
import { binomialInterval } from '../packages/calibration/src/binomial-interval.ts'
import { contentStems, type WordReader } from '../src/core/text/content-stems.ts'
import { englishStems } from '../src/language/english/english-stems.ts'
import { normaliseQuestion } from '../src/core/text/normalise.ts'
import { stem } from '../src/language/english/stem.ts'
import { isStopWord } from '../src/language/english/stop-words.ts'
import { gatedPast } from '../test/fixtures/gated-past.ts'
import { asked, portsOver, SETTINGS } from './evaluation/asked.ts'
import { openQuestionSet } from './evaluation/question-sets.ts'
import { markdownTable } from './markdown-table.ts'

const PAIRS = join(import.meta.dirname, '..', '..', 'shared', 'data', 'cache-squad', 'pairs.jsonl')

interface PairLine {
  readonly a: string
  readonly b: string
  readonly duplicate: 0 | 1
}

const ASKS_OR_NEGATES = /^(?:who|whom|whose|what|which|when|where|why|how|not?|nor)$/

/** Index terms: leaves out stop words other than these, and stems the rest. */
const indexTerms: WordReader = (word) => {
  const letters = word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
  return isStopWord(letters) && !ASKS_OR_NEGATES.test(letters) ? '' : stem(letters)
}

const READERS: readonly (readonly [string, WordReader])[] = [
  ['`(word) => word`', (word) => word],
  ['`englishStems`', englishStems],
  ['terms of the index', indexTerms],
]

/** Whether a gate answers the second question with the first's answer; some have no passage in the corpus. */
async function sharesAnswer({ a, b }: PairLine, ports: ReturnType<typeof portsOver>, stems: WordReader) {
  const options = { store: createMemoryAnswerCache(), stems }
  const { gated } = await gatedPast(options, ports, SETTINGS, asked(normaliseQuestion(a)))
  const key = gated.lookup?.evidenceKey
  if (gated.kind !== 'judged' || key === undefined) return false
  await options.store.put(key, {
    schema: 2,
    key,
    requestedAtMs: 0,
    lifetimeSeconds: 3600,
    ageSeconds: 0,
    status: 200,
    headers: [],
    body: '{}',
    decision: gated.decision,
    principalId: 'bench',
    purgeEpoch: 0,
  })
  return (await gatedPast(options, ports, SETTINGS, asked(normaliseQuestion(b)))).gated.kind === 'cached'
}

function share(hits: number, n: number): string {
  const { low, high } = binomialInterval(hits, n)
  const figure = (value: number): string => value.toFixed(3).replace(/^0/, '')
  return `${hits} of ${n}: ${figure(hits / n)} (${figure(low)}–${figure(high)})`
}

if (existsSync(PAIRS)) {
  const lines = readFileSync(PAIRS, 'utf8').trimEnd().split('\n')
  const pairs = lines.map((line) => JSON.parse(line) as PairLine)
  const { questions, ...set } = openQuestionSet('squad-ooc')
  const ports = portsOver(set)
  const indexed = new Set(
    questions.filter(({ answerable }) => answerable).map(({ question }) => question.toLowerCase()),
  )
  const rows: string[][] = []
  for (const [name, read] of READERS) {
    const stemsOf = (question: string): string => contentStems(normaliseQuestion(question), read).join(' ')
    const rowFor = async (of: string, counted: readonly PairLine[], isHit: (pair: PairLine) => Promise<boolean>) => {
      const hits: PairLine[] = []
      for (const pair of counted) if (stemsOf(pair.a) === stemsOf(pair.b) && (await isHit(pair))) hits.push(pair)
      const count = (some: readonly PairLine[], duplicate: 0 | 1) =>
        some.filter((pair) => pair.duplicate === duplicate).length
      rows.push([name, of, share(count(hits, 1), count(counted, 1)), share(count(hits, 0), count(counted, 0))])
    }
    await rowFor('stems', pairs, async () => true)
    await rowFor(
      'stems and evidence',
      pairs.filter(({ a }) => indexed.has(a.toLowerCase())),
      (pair) => sharesAnswer(pair, ports, read),
    )
  }
  console.log(markdownTable(['read by', 'same', 'right hits', 'wrong hits'], rows))
} else console.log('The pairs of questions are not here (../shared/data): nothing to measure.')
