/**
 * Writes the migration that counts decisions, from the table of figures.
 *
 *   npm run figures
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countingMigration } from '../d1/counting.ts'
import { FIGURES } from '../d1/figures.ts'
import { ROOT } from './local-gate.ts'

/** Where it stands. */
export const COUNTING_MIGRATION = 'd1/migrations/0005_counting.sql'

if (import.meta.main) writeFileSync(join(ROOT, COUNTING_MIGRATION), countingMigration(FIGURES))
