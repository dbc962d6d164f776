/** Results of mutation testing: merged rounds, survivors by place, and the share killed by folder. */
import { dirname } from 'node:path'
import { markdownTable } from '../../bench/markdown-table.ts'

/** A place in a file; lines and columns from 1. */
interface Place {
  readonly line: number
  readonly column: number
}

/** One mutant, as Stryker reports it. */
export interface Mutant {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly location: { readonly start: Place; readonly end: Place }
  readonly mutatorName: string
  readonly replacement: string
  readonly status: string
}

const UNNOTICED: readonly string[] = ['Survived', 'NoCoverage']

/** Mutants that no test killed. */
export function unnoticed(mutants: readonly Mutant[]): readonly Mutant[] {
  return mutants.filter(({ status }) => UNNOTICED.includes(status))
}

/** The mutants of a first round; its survivors have the result of a second round, which ran more tests. */
export function afterSecondRound(first: readonly Mutant[], second: readonly Mutant[]): readonly Mutant[] {
  const found = new Map(second.map((mutant) => [identity(mutant), mutant]))
  return first.map((mutant) => (UNNOTICED.includes(mutant.status) ? (found.get(identity(mutant)) ?? mutant) : mutant))
}

function identity({ status: _status, ...change }: Mutant): string {
  return JSON.stringify(change)
}

/** The place of a mutant in Stryker's format: lines from 1, columns from 0. */
export function rangeOf({ file, location: { start, end } }: Mutant): string {
  return `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`
}

/** A survivor, in readable form. */
export function placeOf({ file, location: { start }, mutatorName, replacement, status }: Mutant): string {
  const change = replacement.replaceAll(/\s+/g, ' ').slice(0, 100)
  return `${file}:${start.line}:${start.column} ${mutatorName} → ${change}${status === 'NoCoverage' ? ' (no test comes here)' : ''}`
}

/** Share of the tested mutants that were killed, 0..1; those that timed out or did not run are excluded. */
export function shareKilled(mutants: readonly Mutant[]): number {
  const killed = mutants.filter(({ status }) => status === 'Killed').length
  return killed / (killed + unnoticed(mutants).length)
}

/** The table of docs/internal/testing.md, in Markdown. */
export function folderTable(mutants: readonly Mutant[]): string {
  const folders = [...new Set(mutants.map(folderOf))].sort()
  const rows = folders.map((folder) =>
    rowOf(
      `\`${folder}\``,
      mutants.filter((mutant) => folderOf(mutant) === folder),
    ),
  )
  const head = ['folder', 'killed', 'of', 'share', 'timed out', 'at module load', 'not run']
  return markdownTable(head, [...rows, rowOf('all of these', mutants)])
}

function rowOf(name: string, mutants: readonly Mutant[]): string[] {
  const count = (...statuses: string[]): number => mutants.filter(({ status }) => statuses.includes(status)).length
  const killed = count('Killed')
  const judged = killed + unnoticed(mutants).length
  const apart = [count('Timeout'), count('Ignored'), count('RuntimeError', 'CompileError', 'Pending')]
  return [name, killed, judged, `${(shareKilled(mutants) * 100).toFixed(1)} %`, ...apart].map((cell) =>
    typeof cell === 'number' ? cell.toLocaleString('en') : cell,
  )
}

/** Folders of `core` and the packages, without their parent folders. */
function folderOf({ file }: Mutant): string {
  return dirname(file)
    .replace(/^src\/|^packages\//, '')
    .replace(/^(\w+)\/src\b/, '$1')
}
