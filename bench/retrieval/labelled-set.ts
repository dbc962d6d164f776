/** Questions with the passages that answer them. Read from `../shared/data`, not part of the repository. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../seeded-random.ts'

const DATA = join(import.meta.dirname, '..', '..', '..', 'shared', 'data')

/** A passage of a set. */
export interface SetPassage {
  readonly id: string
  readonly title: string
  readonly text: string
}

/** An answerable question. */
export interface SetQuestion {
  readonly question: string
  /** Ids of the passages that answer it. */
  readonly relevant: ReadonlySet<string>
}

/** A corpus and answerable questions about it. */
export interface LabelledSet {
  readonly name: string
  readonly passages: readonly SetPassage[]
  readonly questions: readonly SetQuestion[]
}

interface QuestionLine {
  readonly question: string
  readonly answerable: boolean
  readonly relevant_ids: readonly string[]
}

/** Whether the sets are available. */
export function haveLabelledSets(): boolean {
  return existsSync(DATA)
}

/**
 * Reads a set with some of its answerable questions.
 *
 * @param count questions to draw without replacement; all if there are fewer
 */
export function readLabelledSet(name: string, count: number, seed: number): LabelledSet {
  const random = seededRandom(seed)
  const pool = readLines<QuestionLine>(name, 'questions.jsonl').filter(({ answerable }) => answerable)
  const drawn = Array.from({ length: Math.min(count, pool.length) }, () => {
    const [taken] = pool.splice(Math.floor(random() * pool.length), 1)
    return taken!
  })
  return {
    name,
    passages: readLines<SetPassage>(name, 'corpus.jsonl').map(({ id, title, text }) => ({ id, title, text })),
    questions: drawn.map(({ question, relevant_ids: ids }) => ({ question, relevant: new Set(ids) })),
  }
}

function readLines<Row>(set: string, file: string): Row[] {
  return readFileSync(join(DATA, set, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
}
