/**
 * The cost of changing documents: of the questions with a stored answer, how many still need no model call after one of
 * 646 chunks changed and everything was indexed again. Prints a table for docs/caching.md.
 *
 *   npm run bench -- re-ingest
 *
 * The questions, every sixth of `squad-ooc`, go through `gateQuestion` over the embedded index's own search.
 */
import { createMemoryAnswerCache } from '../src/adapters/memory-answer-cache.ts'
import { binomialInterval } from '../packages/calibration/src/binomial-interval.ts'
import { gatedPast } from '../test/fixtures/gated-past.ts'
import { asked as requestOf, portsOver, SETTINGS } from './evaluation/asked.ts'
import { openQuestionSet, type SearchableSet } from './evaluation/question-sets.ts'
import { seededRandom } from './seeded-random.ts'

const SET = 'squad-ooc'
const EVERY = 6
const CHANGES = 5
const SEED = 20_261_122

/** Stores an answer for every question that is not refused. @returns the chunks that each of them is based on */
async function storeAnswers(opened: SearchableSet, questions: readonly string[]) {
  const store = createMemoryAnswerCache({ maxBytes: 2 ** 30 })
  const ports = portsOver(opened, 1)
  const stored = new Map<string, readonly string[]>()
  for (const question of questions) {
    const { gated } = await gatedPast({ store }, ports, SETTINGS, requestOf(question))
    if (gated.kind !== 'judged' || gated.decision.verdict === 'refuse') continue
    const { decision } = gated
    const key = gated.lookup?.evidenceKey
    if (key === undefined) throw new Error('An answer that may be given has an evidence key')
    await store.put(key, {
      schema: 2,
      key,
      requestedAtMs: 0,
      lifetimeSeconds: 3600,
      ageSeconds: 0,
      status: 200,
      headers: [],
      body: '{}',
      decision,
      principalId: 'bench',
      purgeEpoch: 0,
    })
    stored.set(question, decision.evidenceIds)
  }
  return { store, stored }
}

const before = openQuestionSet(SET)
const questions = before.questions.filter((_, at) => at % EVERY === 0).map(({ question }) => question)
const { store, stored } = await storeAnswers(before, questions)
const random = seededRandom(SEED)
const cited = [...new Set([...stored.values()].flat())]
let [kept, untouched, keptUntouched] = [0, 0, 0]
for (let at = 0; at < CHANGES; at++) {
  const changedId = cited[Math.floor(random() * cited.length)]!
  // At the start: the end of the last passage may exceed the context budget, and is then not evidence.
  const after = openQuestionSet(SET, {
    edit: (passage) =>
      passage.id === changedId ? { ...passage, text: `This was reviewed in spring. ${passage.text}` } : passage,
  })
  const ports = portsOver(after, 2)
  for (const [question, evidenceIds] of stored) {
    const hit = (await gatedPast({ store }, ports, SETTINGS, requestOf(question))).gated.kind === 'cached'
    const rests = evidenceIds.includes(changedId)
    if (hit && rests) throw new Error('An answer outlived its evidence')
    kept += hit ? 1 : 0
    untouched += rests ? 0 : 1
    keptUntouched += hit ? 1 : 0
  }
}
const asked = stored.size * CHANGES
const share = (hits: number, n: number): string => {
  const { low, high } = binomialInterval(hits, n)
  return `${(hits / n).toFixed(4)} (${low.toFixed(4)}–${high.toFixed(4)}), n = ${n}`
}
console.log(`${stored.size} of ${questions.length} questions had a stored answer; ${CHANGES} changes, one chunk each`)
console.log(`no model call, of all: ${share(kept, asked)}`)
console.log(`no model call, of those whose evidence did not change: ${share(keptUntouched, untouched)}`)
