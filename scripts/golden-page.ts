/** Writes docs/internal/golden-differences.md from the list of golden vectors that differ. */
import { writeFileSync } from 'node:fs'
import { differencesPage, readDifferences } from '../test/golden/differences.ts'

writeFileSync(new URL('../docs/internal/golden-differences.md', import.meta.url), differencesPage(readDifferences()))
