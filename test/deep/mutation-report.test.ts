import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/local-gate.ts'
import {
  afterSecondRound,
  folderTable,
  type Mutant,
  placeOf,
  rangeOf,
  shareKilled,
  unnoticed,
} from './mutation-report.ts'
import { mutatedFiles, shardsOf } from './mutation-shards.ts'

const mutant = (status: string, given: Partial<Mutant> = {}): Mutant => ({
  file: 'src/core/policy/policy.ts',
  location: { start: { line: 3, column: 5 }, end: { line: 4, column: 9 } },
  mutatorName: 'BlockStatement',
  replacement: '{}',
  ...given,
  status,
})

describe('a folder that is mutated', () => {
  it('is tested by its own tests, or by those of the folder around it', () => {
    expect(shardsOf(['packages/models/src/answering/generated.ts', 'src/core/text/text.ts'])).toMatchObject([
      { tests: ['test/models/**/*.test.ts'] },
      { tests: ['test/core/text/**/*.test.ts'] },
    ])
    for (const { name, tests } of shardsOf(mutatedFiles([]))) {
      expect(globSync([...tests], { cwd: ROOT }).length, name).toBeGreaterThan(0)
    }
  })
})

describe('two rounds of mutation', () => {
  it('keep the killed mutants of the first, and use the second for the others', () => {
    const other = { replacement: 'true' }
    const first = [mutant('Killed'), mutant('Survived', other), mutant('NoCoverage', { file: 'src/core/text/text.ts' })]
    const second = [mutant('Survived'), mutant('Killed', other)]
    const merged = afterSecondRound(first, second)
    expect(merged.map(({ status }) => status)).toEqual(['Killed', 'Killed', 'NoCoverage'])
    expect(unnoticed(merged).map(({ file }) => file)).toEqual(['src/core/text/text.ts'])
    expect(shareKilled(merged)).toBeCloseTo(2 / 3, 12)
  })

  it('select a range with columns from 0, and read columns from 1', () => {
    expect(rangeOf(mutant('Survived'))).toBe('src/core/policy/policy.ts:3:4-4:8')
    expect(placeOf(mutant('NoCoverage', { replacement: '{\n  a\n}' }))).toBe(
      'src/core/policy/policy.ts:3:5 BlockStatement → { a } (no test comes here)',
    )
  })

  it('are reported by folder, with undecided mutants separately', () => {
    const gate = { file: 'src/core/gates/gate.ts' }
    const mutants = [mutant('Killed', gate), mutant('Timeout', gate), mutant('Survived'), mutant('Ignored')]
    const elsewhere = ['src/language/english/stem.ts', 'packages/presets/src/answers/grounding.ts'].map((file) =>
      mutant('Killed', { file }),
    )
    expect(folderTable(elsewhere)).toMatch(/`language\/english`[^]*`presets\/answers`/)
    expect(folderTable(mutants).split('\n').slice(2)).toEqual([
      '| `core/gates`  | 1      | 1   | 100.0 % | 1         | 0              | 0       |',
      '| `core/policy` | 0      | 1   | 0.0 %   | 0         | 1              | 0       |',
      '| all of these  | 1      | 2   | 50.0 %  | 1         | 1              | 0       |',
    ])
  })
})
