/** MiniSearch over the same passages and terms, in this process: the cost of an in-memory index, cold and warm. */
import MiniSearch, { type Options } from 'minisearch'
import { terms } from '../../src/language/english/terms.ts'
import { passagesOf, questionsAbout } from './passages.ts'

const QUESTIONS = 100
const COLD = 5

const OPTIONS: Options<{ readonly id: string; readonly text: string }> = {
  fields: ['text'],
  tokenize: (text) => [...terms(text)],
  processTerm: (term) => term,
}

/** CPU time in milliseconds. */
function computed(work: () => unknown): number {
  const began = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** A row for a size: passages, CPU of loading with the first question, of a question, bytes per passage. */
export function miniSearchRow(size: number, seed: number): readonly string[] {
  const index = new MiniSearch(OPTIONS)
  index.addAll(passagesOf(size, seed))
  const stored = JSON.stringify(index)
  const questions = questionsAbout(QUESTIONS, seed)
  const cold = questions
    .slice(0, COLD)
    .map((question) => computed(() => MiniSearch.loadJSON(stored, OPTIONS).search(question)))
  const warm = questions.map((question) => computed(() => index.search(question).slice(0, 10)))
  return [
    size.toLocaleString('en'),
    median(cold).toFixed(0),
    median(warm).toFixed(1),
    Math.round(Buffer.byteLength(stored) / size).toLocaleString('en'),
  ]
}
