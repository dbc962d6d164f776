/** The eight families of question sets, measured once: each question with its evidence, and answerable ones once more without what answers them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hideFromRankings } from '../../src/core/calibration/hidden-gold.ts'
import { fuseConvex } from '../../src/core/evidence/fusion.ts'
import { TEXT_SIGNALS } from '../../src/core/signals/index.ts'
import { measure, type Signals } from '../../src/core/signals/measure.ts'
import { idfMass } from '../../src/core/text/lexicon.ts'
import { createTermReader, terms } from '../../src/core/text/terms.ts'
import { openQuestionSet } from '../evaluation/question-sets.ts'

/** One set a family. */
export const FAMILIES = [
  'squad-ooc',
  'clapnq',
  'azure-faq',
  'gov-faq',
  'tex-faq',
  'perl-faq',
  'covid-qa',
  'scifact-missing',
] as const

/** A question as measured. */
export interface MeasuredLabel {
  readonly answerable: boolean
  readonly signals: Signals
  /** Without the passages that answer it; of answerable questions only. */
  readonly hidden?: Signals
}

const TOP_K = 10
/** Retrieved before any passage is hidden. */
const CANDIDATES = 30
const MOST_QUESTIONS = 1200
const CACHE = join(tmpdir(), 'rag-gate-calibration')

/** Reads a family from the cache in the temporary folder, or measures it. */
export function measuredFamily(name: string): readonly MeasuredLabel[] {
  const file = join(
    CACHE,
    `${name}-${Object.keys(TEXT_SIGNALS).join('-').length}-${Object.keys(TEXT_SIGNALS).length}.json`,
  )
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as MeasuredLabel[]
  const { lexicon, questions, search } = openQuestionSet(name)
  const reader = createTermReader()
  const every = Math.max(1, Math.ceil(questions.length / MOST_QUESTIONS))
  const measured = questions
    .filter((_, at) => at % every === 0)
    .map(({ question, answerable, relevantIds }): MeasuredLabel => {
      const rankings = search(question, CANDIDATES)
      const seen = (hidden: readonly string[]): Signals => {
        const left = hideFromRankings(rankings, hidden).map(({ kind, entries }) => ({
          kind,
          entries: entries.slice(0, TOP_K),
        }))
        const evidence = fuseConvex(left, { idfMass: idfMass(lexicon, terms(question)), topK: TOP_K })
        return measure(question, evidence, lexicon, reader)
      }
      return { answerable, signals: seen([]), ...(answerable ? { hidden: seen(relevantIds) } : {}) }
    })
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(file, JSON.stringify(measured))
  return measured
}
