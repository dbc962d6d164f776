import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENGINE_TEXTS } from '../../src/core/policy/engine-texts.ts'
import { read, ROOT } from './pages.ts'

const PAGE = read('docs/troubleshooting.md')
const PRESETS = 'packages/presets/src'

/** Codes in the first column of the tables under a heading, up to the next one of its level. */
function codesUnder(heading: string): string[] {
  const [, section = ''] = PAGE.split(`\n## ${heading}\n`)
  const rows = section.split('\n## ')[0]!.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)
  return [...rows].flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, code = '']) => code))
}

/** The codes of every gate, in core and in the presets. */
async function codesOfGates(): Promise<Set<string>> {
  const folders = ['src/core/gates', 'src/presets/balanced', ...readdirSync(join(ROOT, PRESETS)).map((name) => `${PRESETS}/${name}`)]
  const codes = new Set<string>()
  for (const folder of folders) {
    for (const file of readdirSync(join(ROOT, folder))) {
      const module = (await import(/* @vite-ignore */ join(ROOT, folder, file))) as Record<string, unknown>
      for (const value of Object.values(module)) {
        if (value === null || typeof value !== 'object' || !('check' in value) || !('texts' in value)) continue
        for (const code of Object.keys(value.texts as object)) codes.add(code)
      }
    }
  }
  return codes
}

test('every reason code of a gate or the engine is explained, and no other', async () => {
  const gates = await codesOfGates()
  expect(gates.size).toBeGreaterThan(25)
  const told = codesUnder('Reason codes')
  expect(told.toSorted()).toEqual([...new Set([...gates, ...Object.keys(ENGINE_TEXTS)])].toSorted())
})

test('every warning of a retriever is listed', () => {
  const { 1: codes = '' } = /interface RetrieverWarning \{\s*readonly code: ([^\n]+)/.exec(
    read('packages/upstream/src/rows/retriever-warnings.ts'),
  )!
  const [, section = ''] = PAGE.split('\n## Warnings\n')
  for (const [, code] of codes.matchAll(/'(\w+)'/g)) expect(section).toContain(`\`${code}\``)
})

test('every warning of the gate that is not an error code is listed', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const codes = sources.flatMap((file) =>
    [...read(`src/${file}`).matchAll(/[wW]arn(?:ing)?(?:\?\.)?\((?:\{\s*code: )?'(\w+)'/g)].map(([, code]) => code!),
  )
  expect(codes.length).toBeGreaterThan(8)
  const [, section = ''] = PAGE.split('\n## Warnings\n')
  const named = `${section}\n${read('docs/reference/http-api.md')}`
  expect(codes.filter((code) => !named.includes(`\`${code}\``))).toEqual([])
})
