import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { unstable_getVarsForDev } from 'wrangler'
import { exportedSettings, formatVars, parseVars } from '../../scripts/worker-settings.ts'
import { SETTING_NAMES } from '../../workers/gate/settings.ts'
import { read } from '../docs/pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A file of variables as wrangler reads it. */
function readByWrangler(text: string): Record<string, unknown> {
  const file = join(folder, 'vars.env')
  writeFileSync(file, text)
  const bindings = unstable_getVarsForDev(undefined, [file], {}, undefined, true)
  return Object.fromEntries(Object.entries(bindings).map(([name, { value }]) => [name, value]))
}

describe('a file of variables', () => {
  const VALUES = {
    TOKEN: 'a-plain_value',
    EMPTY: '',
    SPACED: ' with spaces # and no comment ',
    DOLLARS: 'a$b${TOKEN}$TOKEN\\$c',
    BACKSLASH: String.raw`C:\new\t`,
    INDEXES: '{"default": {"similarity": "cosine"}}',
    QUOTES: `it's "so"`,
    LINES: 'one\ntwo',
  }

  test('is read by wrangler as it was meant', () => expect(readByWrangler(formatVars(VALUES))).toEqual(VALUES))

  test('is read alike by wrangler and `npm start`, unless a variable names another', () => {
    const text = `# a comment\nexport A=1\n B = two words # a comment\nC='{"default": {}}'\nD="x\\ny"\n\nE=\n`
    expect(parseVars(text)).toEqual({ A: '1', B: 'two words', C: '{"default": {}}', D: 'x\ny', E: '' })
    expect(readByWrangler(text)).toEqual(parseVars(text))
  })

  test('cannot contain all three kinds of quotes', () =>
    expect(() => formatVars({ A: `'"\`` })).toThrow('A has quotes'))
})

describe('exported settings', () => {
  test('are those settings of the Worker that are not empty', () => {
    const environment = { LLM_MODEL: 'm', LLM_API_KEY: '', PATH: '/bin', RERANKER: undefined }
    expect(exportedSettings(environment)).toEqual({ LLM_MODEL: 'm' })
  })

  test('include every documented setting and every string binding of the Worker', () => {
    const [, section = ''] = read('docs/reference/configuration.md').split('\n## Secrets and variables\n')
    const rows = section.split('\n## ')[0]!.matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \|/gm)
    const told = [...rows].flatMap(([, names = '']) => [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name))
    expect(told).toHaveLength(SETTING_NAMES.length)
    expect(told.toSorted()).toEqual(SETTING_NAMES.toSorted())
    const texts = read('workers/gate/bindings.ts').matchAll(
      /readonly ([A-Z_]+)\?: (?:string(?: \| number)?|unknown)$/gm,
    )
    expect([...texts].map(([, name = '']) => name).toSorted()).toEqual(SETTING_NAMES.toSorted())
  })
})
