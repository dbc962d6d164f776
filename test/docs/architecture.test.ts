import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { draw, DRAWINGS, readImports } from '../../scripts/house.ts'
import { violationsOf } from '../../scripts/import-rules.ts'
import { read, ROOT } from './pages.ts'

const PAGE = read('docs/architecture.md')
const IMPORTS = readImports(['src', 'd1', 'packages', 'workers'])

/** Files of other folders that one may want to import. */
const TARGETS = [
  'errors.ts',
  'core/lib/x.ts',
  'core/text/x.ts',
  'core/policy/x.ts',
  'presets/balanced/x.ts',
  'ports/x.ts',
  'pipeline/x.ts',
  'http/x.ts',
  'adapters/x.ts',
  'middleware/x.ts',
  'cache/x.ts',
  'language/english/x.ts',
]

/** A room that may import the most of its folder, where that consists of rooms. */
const WITHIN: Readonly<Record<string, string>> = { core: 'core/policy', language: 'language/english', presets: 'presets/balanced' }

describe('docs/architecture.md matches the sources', () => {
  test('no files import each other in a circle, type imports included', () => {
    expect(IMPORTS.size).toBeGreaterThan(200)
    expect(draw(IMPORTS, DRAWINGS['files']!).circles).toEqual([])
  })

  test('the rooms of core are on the documented floors', () => {
    const { floors, circles } = draw(IMPORTS, (path) => /^src\/core\/([\w-]+)\//.exec(path)?.[1])
    const told = [...PAGE.matchAll(/^\| (\d) \| `(\w+)` \|/gm)].map(([, floor, room]) => `${floor} ${room}`)
    expect(told.toSorted()).toEqual(floors.flatMap((rooms, at) => rooms.map((room) => `${at + 1} ${room}`)).toSorted())
    expect(circles).toEqual([])
    expect(PAGE).toContain(`| ${floors.flat().length} on ${floors.length} |\n`)
  })

  test('the rooms of the whole house are on the documented floors', () => {
    const { floors, circles } = draw(IMPORTS, DRAWINGS['house']!)
    expect(circles).toEqual([])
    const named = floors.map((floor) => floor.map((room) => `\`${room}\``).join(', ')).join('; ')
    expect(PAGE).toContain(`\nThe floors of the whole house, the lowest first: ${named}.\n`)
  })

  test('every folder of src is in the drawing and in the table of imports', () => {
    const foldersIn = (parent: string): string[] =>
      readdirSync(join(ROOT, parent)).filter((name) => statSync(join(ROOT, parent, name)).isDirectory())
    for (const name of foldersIn('packages')) expect(PAGE).toContain(`\n  ${name}/ `)
    const folders = foldersIn('src')
    expect(folders.length).toBeGreaterThanOrEqual(8)
    for (const folder of folders) {
      expect(PAGE).toContain(`\n  ${folder}/ `)
      expect(PAGE).toContain(`\n| \`${folder}\` |`)
    }
  })

  test('the table of imports matches the import rules', () => {
    const [, section = ''] = PAGE.split('\n## Who imports whom\n')
    const rows = [...section.split('\n## ')[0]!.matchAll(/^\| `([\w-]+)` \| (.*) \|$/gm)]
    expect(rows.length).toBeGreaterThanOrEqual(8)
    for (const [, folder = '', cell = ''] of rows) {
      const named = [...cell.matchAll(/`([\w/-]+)`/g)].map(([, name = '']) => name)
      const others = TARGETS.filter((target) => !target.startsWith(`${folder}/`))
      const isAllowed = (target: string): boolean => {
        const file = `src/${WITHIN[folder] ?? folder}/x.ts`
        return violationsOf(file, `import '${posix.relative(posix.dirname(file), `src/${target}`)}'`).length === 0
      }
      const isNamed = (target: string): boolean =>
        named.some((name) => target.startsWith(`${name}/`) || target.startsWith(`${name}.`))
      expect([folder, ...others.filter(isAllowed)]).toEqual([folder, ...others.filter(isNamed)])
    }
  })

  test('its walks name files that exist', () => {
    const [, walks = ''] = PAGE.split('\n## The way of a question\n')
    const full = [...walks.matchAll(/`((?:src|packages|workers|test|d1)\/[\w/-]+\.ts)`/g)].map(([, path = '']) => path)
    expect(full.length).toBeGreaterThan(30)
    expect(full.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    const short = [...walks.matchAll(/`([\w-]+(?:\/[\w-]+)?\.ts)`/g)].map(([, name = '']) => name)
    const known = [...IMPORTS.keys()]
    expect(short.filter((name) => name !== 'src/index.ts' && !name.startsWith('d1/') && name !== 'index.ts' && !known.some((path) => path.endsWith(`/${name}`)))).toEqual([])
  })
})
