import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { countVectors, readDifferences, type Section } from './differences.ts'
import { COMPARISONS } from './documents.ts'
import { NOT_HERE, readGolden } from './vectors.ts'

const list = readDifferences()

/** Lists of vectors in a golden file: everything but the description of itself. */
function sectionsOf(golden: Readonly<Record<string, object>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(golden)
      .filter(([name]) => name !== 'schema')
      .map(([name, vectors]) => [name, Object.keys(vectors).length]),
  )
}

describe.each(Object.entries(list.files))('the golden vectors of %s', (file, { sections }) => {
  const golden = readGolden<Readonly<Record<string, object>>>(file)
  // The comparison of a file takes the form of that file.
  const compared = golden === undefined ? {} : (COMPARISONS[file]?.(golden as never) ?? {})

  it('are all compared', ({ skip }) => {
    if (golden === undefined) return skip(NOT_HERE)
    const listed = Object.fromEntries(Object.entries(sections).map(([name, { total }]) => [name, total]))
    expect(sectionsOf(golden)).toEqual(listed)
    expect(Object.keys(compared).sort()).toEqual(Object.keys(sections).sort())
    for (const [name, vectors] of Object.entries(compared)) expect(vectors.length, name).toBe(listed[name])
  })

  it.for(Object.entries(sections))(
    'match in %s, except for listed differences, which give the listed results',
    ([name, section], { skip }) => {
      const vectors = compared[name]
      if (vectors === undefined) return skip(NOT_HERE)
      const found = vectors.flatMap(({ id, agrees, here }) => (agrees ? [] : [[id, here]]))
      expect(found).toEqual(section.differences.map(({ id, here }) => [id, here]))
    },
  )
})

describe('the list of golden vectors that differ', () => {
  const sections: readonly Section[] = Object.values(list.files).flatMap((file) => Object.values(file.sections))
  const used = sections.flatMap(({ differences }) => differences.flatMap(({ reasons }) => reasons))

  it('has a reason for each of them, and no unused reason', () => {
    for (const { differences } of sections) {
      for (const { id, reasons } of differences) expect(reasons.length, id).toBeGreaterThan(0)
    }
    expect([...new Set(used)].sort()).toEqual(Object.keys(list.reasons).sort())
    const decisions = Object.values(list.reasons).map(({ decision }) => decision)
    expect(decisions.filter((decision) => decision !== null && !(decision >= 1 && decision <= 9))).toEqual([])
  })

  it('matches the counts on the page of differences', () => {
    const differences = readFileSync(new URL('../../docs/internal/differences.md', import.meta.url), 'utf8')
    for (const [file, { document }] of Object.entries(list.files)) {
      const { compared, matching } = countVectors(list, file)
      expect(differences).toContain(
        `| ${document} | \`${file}\` | ${compared} | ${matching} | ${compared - matching} |`,
      )
    }
  })
})
