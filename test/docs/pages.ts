/** The pages that people read, and the examples in them. */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Reads a file of the repository by its path from the root. */
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** Every page in Markdown, by its path from the root. */
export const PAGES: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('packages/*/README.md', { cwd: ROOT }).sort(),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
    .sort(),
]

/** A block of code on a page. */
export interface Example {
  readonly page: string
  /** Line of its first line of code, from 1. */
  readonly line: number
  readonly code: string
}

/** The blocks of one language on a page, in order. */
export function examplesOf(page: string, language: string): Example[] {
  const text = read(page)
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, tag]) => tag === language)
    .map(({ index, 2: code = '' }) => ({ page, line: text.slice(0, index).split('\n').length + 1, code }))
}

/**
 * Applies a diff without line numbers, its hunks separated by lines of `@@`: the lines of context and the removed lines of
 * each hunk must stand in the code exactly once.
 */
export function patched(code: string, diff: string): string {
  return diff.trimEnd().split('\n@@\n').reduce(withHunk, code)
}

function withHunk(code: string, hunk: string): string {
  const lines = hunk.split('\n')
  const side = (left: string): string =>
    lines
      .filter((line) => !line.startsWith(left))
      .map((line) => line.slice(1))
      .join('\n')
  const parts = `\n${code}`.split(`\n${side('+')}\n`)
  if (parts.length !== 2) throw new Error(`The hunk fits ${parts.length - 1} times:\n${hunk}`)
  return parts.join(`\n${side('-')}\n`).slice(1)
}

/** Where a link of a page leads, as a path from the root; `undefined` when it leads out of the repository. */
export function targetOf(page: string, link: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(link) || link.startsWith('<')) return undefined
  const [path = '', anchor] = link.split('#', 2)
  const file = path === '' ? page : posix.normalize(posix.join(dirname(page), path))
  return anchor === undefined ? file : `${file}#${anchor}`
}

/** Words of prose, tables and code: runs of characters with a letter or digit in them, without the addresses of links. */
export function wordsOf(text: string): number {
  return (text.replaceAll(/\]\([^)\s]*\)/g, ']').match(/[^\s|]*[\p{L}\p{N}][^\s|]*/gu) ?? []).length
}
