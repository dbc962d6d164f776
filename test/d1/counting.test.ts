import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { countingMigration } from '../../d1/counting.ts'
import { FIGURES } from '../../d1/figures.ts'
import { countingFile } from '../../scripts/counting-migration.ts'
import { ROOT } from '../../scripts/local-gate.ts'

const MIGRATIONS = join(ROOT, 'd1', 'migrations')
/** Gates, of the gate itself and of the published policies. */
const GATES = globSync(['src/core/gates/*.ts', 'packages/presets/src/**/*.ts'], { cwd: ROOT })

describe('the migrations', () => {
  it('count what the table of figures says: `npm run figures` writes them', () => {
    expect(readFileSync(countingFile(), 'utf8')).toBe(countingMigration(FIGURES))
  })

  it('name no gate', () => {
    const named = GATES.flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bname: '([a-z-]+)'/g)].map(([, name]) => name ?? ''),
    )
    expect(named).toContain('evidence-share')
    const sql = readdirSync(MIGRATIONS).map((file) => readFileSync(join(MIGRATIONS, file), 'utf8'))
    expect(named.filter((name) => sql.some((text) => text.includes(`'${name}'`)))).toEqual([])
  })
})
