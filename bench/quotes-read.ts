/**
 * How often quotes answer: what was read of them, as it stands in `bench/quoted-answers`, by the rules that chose them,
 * with exact intervals. The rules of `extractive/6` were chosen by the documentations whose role is `development`.
 *
 *   node scripts/run.mjs --with=bench bench/quotes-read.ts [documentation…]
 *
 * Without a name, all documentations.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { binomialInterval } from '../packages/calibration/src/binomial-interval.ts'
import { ROOT } from '../scripts/local-gate.ts'
import { markdownTable } from './markdown-table.ts'

/** A quoted answer, and what a person found who read it. */
interface ReadQuote {
  readonly question: string
  /** Versions of the rules that quoted just this, as the generator names itself. */
  readonly rules: readonly string[]
  readonly reads: 'answers' | 'does not answer' | 'misleads'
  readonly why: string
}

interface ReadFile {
  readonly role: 'development' | 'held out'
  readonly answered: readonly string[]
  readonly quotes: readonly ReadQuote[]
}

const FOLDER = join(ROOT, 'bench/quoted-answers')
const asked = process.argv.slice(2)
const names = asked.length > 0 ? asked : readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''))
const files = names.map((name) => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as ReadFile)
const versions = [...new Set(files.flatMap(({ quotes }) => quotes.flatMap(({ rules }) => rules)))].toSorted()

function rowOf(role: ReadFile['role'], version: string): readonly string[] {
  const those = files.filter((file) => file.role === role)
  const quotes = those.flatMap((file) => file.quotes).filter(({ rules }) => rules.includes(version))
  const count = (reads: ReadQuote['reads']): number => quotes.filter((quote) => quote.reads === reads).length
  const { low, high } = binomialInterval(count('answers'), quotes.length)
  const questions = those.reduce((sum, { answered }) => sum + answered.length, 0)
  const counts = [those.length, questions, quotes.length, count('answers'), count('misleads')].map(String)
  return [role, version, ...counts, `${low.toFixed(2)}–${high.toFixed(2)}`]
}

console.log(
  markdownTable(
    ['role', 'rules', 'documentations', 'questions with an answer', 'quoted', 'answer', 'mislead', '95 %'],
    (['development', 'held out'] as const).flatMap((role) => versions.map((version) => rowOf(role, version))),
  ),
)
