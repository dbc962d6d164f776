/**
 * Writes the migration that counts decisions, from the table of figures: a new one, where the newest of them counts otherwise.
 *
 *   npm run figures [-- --again]
 *
 * With `--again` the newest is written anew: for one that no database has yet.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countingMigration } from '../d1/counting.ts'
import { FIGURES } from '../d1/figures.ts'
import { ROOT } from './local-gate.ts'

const DIRECTORY = join(ROOT, 'd1', 'migrations')
const ENDING = '_counting.sql'

/** The newest migration that counts. */
export function countingFile(): string {
  return join(
    DIRECTORY,
    readdirSync(DIRECTORY)
      .filter((name) => name.endsWith(ENDING))
      .sort()
      .at(-1)!,
  )
}

function nextFile(): string {
  const last = readdirSync(DIRECTORY).sort().at(-1)!
  return join(DIRECTORY, `${String(Number(last.slice(0, 4)) + 1).padStart(4, '0')}${ENDING}`)
}

if (import.meta.main) {
  const migration = countingMigration(FIGURES)
  const isCurrent = readFileSync(countingFile(), 'utf8') === migration
  if (!isCurrent) writeFileSync(process.argv[2] === '--again' ? countingFile() : nextFile(), migration)
}
