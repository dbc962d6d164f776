/** A maker named on a page can be imported: the page says from where, or links to one that does. */
import { globSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { PAGES, read, ROOT, targetOf } from './pages.ts'

/** Specifiers by the maker that they export, such as `hono-rag-gate/cache`. */
const SPECIFIERS = new Map<string, string[]>()
for (const manifest of ['package.json', ...globSync('packages/*/package.json', { cwd: ROOT })]) {
  // npm wrote it, or this project.
  const { name, exports } = JSON.parse(read(manifest)) as { name: string; exports?: Record<string, string | null> }
  for (const [key, target] of Object.entries(exports ?? {})) {
    if (!target?.endsWith('.ts')) continue
    const [before = '', after = ''] = target.split('*')
    for (const file of globSync(join(dirname(manifest), target), { cwd: ROOT })) {
      const star = file.slice(join(dirname(manifest), before).length, file.length - after.length)
      for (const maker of makersIn(file)) {
        SPECIFIERS.set(maker, [...(SPECIFIERS.get(maker) ?? []), name + key.slice(1).replace('*', star)])
      }
    }
  }
}

/** Makers that a module exports, also from other modules. */
function makersIn(file: string): string[] {
  const text = read(file)
  const own = [...text.matchAll(/export (?:function|const) (create\w+)/g)].map(([, maker = '']) => maker)
  const lists = [...text.matchAll(/export \{([^}]*)\}/g)].flatMap(([, names = '']) => names.match(/\bcreate\w+/g) ?? [])
  const all = [...text.matchAll(/export \* from '(\.[^']+)'/g)].flatMap(([, from = '']) =>
    makersIn(relative(ROOT, join(ROOT, dirname(file), from))),
  )
  return [...own, ...lists, ...all]
}

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0]

/** Whether a page says from where a maker is imported. */
function namesModule(page: string, maker: string): boolean {
  const text = read(page)
  return SPECIFIERS.get(maker)!.some(
    (specifier) =>
      text.includes(`'${specifier}'`) ||
      text.includes(`\`${specifier}\``) ||
      text.includes(`\`…${specifier.slice(packageOf(specifier).length)}\``) ||
      text.includes(`packages/${packageOf(specifier).split('/')[1]}/README.md`),
  )
}

function linksFrom(page: string, paragraph: string): string[] {
  return [...paragraph.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => targetOf(page, link)?.split('#')[0] ?? [])
}

test('a page that names a maker says from where to import it', () => {
  expect(SPECIFIERS.size).toBeGreaterThan(50)
  const pages = PAGES.filter((page) => !/^CHANGELOG|\/internal\/|\/architecture\.md$/.test(page))
  const unknown = pages.flatMap((page) =>
    read(page)
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .split('\n')
      .flatMap((paragraph) =>
        [...paragraph.matchAll(/`(create[A-Z]\w+)/g)]
          .map(([, maker = '']) => maker)
          .filter((maker) => SPECIFIERS.has(maker))
          .filter((maker) => ![page, ...linksFrom(page, paragraph)].some((each) => PAGES.includes(each) && namesModule(each, maker)))
          .map((maker) => `${page}: ${maker} of ${SPECIFIERS.get(maker)!.join(', ')}`),
      ),
  )
  expect([...new Set(unknown)]).toEqual([])
})
