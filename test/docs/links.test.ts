import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PAGES, read, ROOT, targetOf } from './pages.ts'

/** Links of a page outside of its code. */
function linksOf(page: string): string[] {
  const prose = read(page).replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
}

/** Anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(page: string): Set<string> {
  const headings = [...read(page).replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm)]
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

describe('links lead to existing files and headings', () => {
  test.each(PAGES)('on %s', (page) => {
    const broken = linksOf(page).filter((link) => {
      const target = targetOf(page, link)
      if (target === undefined || link === '<repository>') return false
      const [file = '', anchor] = target.split('#')
      if (!existsSync(join(ROOT, file))) return true
      return anchor !== undefined && !anchorsOf(file).has(anchor)
    })
    expect(broken).toEqual([])
  })
})

test('every page of docs can be reached from README by links', () => {
  const reached = new Set<string>(['README.md'])
  for (const page of reached) {
    for (const link of linksOf(page)) {
      const file = targetOf(page, link)?.split('#')[0]
      if (file?.endsWith('.md') === true) reached.add(file)
    }
  }
  expect(PAGES.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([])
})
