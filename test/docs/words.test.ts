import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PAGES, read, ROOT, wordsOf } from './pages.ts'

/** Where the reference documents may be cited: the map of their requirements, what differs from them, and what was measured of them. */
const MAY_CITE = /^docs\/(?:reference\/|internal\/|differences\.md$)/

function filesUnder(...folders: readonly string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return listed.split('\n').filter((path) => /\.(?:ts|js|mjs|md|sql|html|toml|json)$/.test(path))
}

function linesWith(pattern: RegExp, paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    let text: string
    try {
      text = readFileSync(join(ROOT, path), 'utf8')
    } catch {
      // Listed, and removed from the tree since.
      return []
    }
    return text.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : []))
  })
}

describe('a reader needs only the repository', () => {
  test('no source cites a reference document by number', () => {
    const sources = filesUnder('src', 'workers', 'd1', 'scripts', 'packages')
    expect(sources.length).toBeGreaterThan(200)
    expect(linesWith(/\breference documents?\b|\bdocument 00\d\b|\bR[01]\d\d\b/i, sources)).toEqual([])
  })

  test('no page outside of docs/reference and docs/internal cites one', () => {
    const pages = filesUnder('README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs')
    const others = pages.filter((path) => !MAY_CITE.test(path))
    expect(others.length).toBeGreaterThan(8)
    expect(linesWith(/\bdocument 00\d\b|\bR[01]\d\d\b/i, others)).toEqual([])
  })
})

test('error messages use the word string', () => {
  const said = /(?:must be|is not|must have|is no) a text\b/
  expect(linesWith(said, filesUnder('src', 'workers'))).toEqual([])
})

test('at most one line of two thousand contains an indefinite pronoun such as nobody', () => {
  const pronouns = /\b(?:nobody|somebody|whoever|whatever)\b/i
  for (const folders of [['src', 'packages', 'workers', 'scripts', 'd1'], ['test', 'bench']]) {
    const paths = filesUnder(...folders).filter((path) => /\.(?:ts|js|mjs)$/.test(path))
    const lines = linesWith(/^/, paths).length
    expect(lines).toBeGreaterThan(20_000)
    expect(linesWith(pronouns, paths).length).toBeLessThanOrEqual(lines / 2_000)
  }
})

test('commands in README and first pages use the printed address, not a fixed port', () => {
  const pages = filesUnder('README.md', 'docs').filter((path) => /^(?:README|docs\/[\w-]+)\.md$/.test(path))
  const commands = linesWith(/curl .*:\d{4}\b/, pages)
  expect(commands).toEqual([])
})

describe('the number of words', () => {
  /** Never raised: who adds words removes as many. */
  const ALL = 35_000
  const README = 600

  test('of all pages is at most the limit', () => {
    const all = PAGES.filter((page) => page !== 'CHANGELOG.md').map((page) => wordsOf(read(page)))
    expect(all.reduce((sum, words) => sum + words, 0)).toBeLessThanOrEqual(ALL)
  })

  test('of README is at most the limit', () => expect(wordsOf(read('README.md'))).toBeLessThanOrEqual(README))

  test('is counted without addresses, table bars and dashes', () => {
    expect(wordsOf('| a `b c` | [d](e.md#f) |\n|---|---|\n- 12 % – g')).toBe(6)
  })
})
