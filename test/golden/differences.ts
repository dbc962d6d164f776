/** The one list of golden vectors that differ here on purpose, and the page that shows it. */
import { readFileSync } from 'node:fs'

/** Why vectors differ: what settles it, and how. */
export interface Settled {
  /** Number of the decision in section 3 of DESIGN.md; `null` where its section 2, on ids, settles it. */
  readonly decision: number | null
  readonly because: string
}

/** A vector that differs. */
export interface Difference {
  readonly id: string
  /** Its name in the file, where it has one beside its id. */
  readonly name?: string
  /** What is given here. */
  readonly here: string
  /** Names of the reasons. */
  readonly reasons: readonly string[]
}

/** One list of vectors in a file. */
export interface Section {
  readonly total: number
  /** What is compared. */
  readonly compared: string
  readonly differences: readonly Difference[]
}

/** The whole list. */
export interface Differences {
  readonly reasons: Readonly<Record<string, Settled>>
  readonly files: Readonly<
    Record<string, { readonly document: string; readonly sections: Readonly<Record<string, Section>> }>
  >
}

/** Reads the list. */
export function readDifferences(): Differences {
  return JSON.parse(readFileSync(new URL('differences.json', import.meta.url), 'utf8')) as Differences
}

/** How many vectors are compared, and how many of them match. */
export function countVectors(
  { files }: Differences,
  file?: string,
): { readonly compared: number; readonly matching: number } {
  const sections = Object.entries(files)
    .filter(([name]) => file === undefined || name === file)
    .flatMap(([, { sections }]) => Object.values(sections))
  const compared = sections.reduce((sum, { total }) => sum + total, 0)
  return { compared, matching: compared - sections.reduce((sum, { differences }) => sum + differences.length, 0) }
}

const HEAD = `# Golden vectors that differ

Every golden vector gives here what it gives in the original, but for those in these tables. Written by
\`node scripts/run.mjs scripts/golden-page.ts\` (\`scripts/golden-page.ts\`) from \`test/golden/differences.json\`; \`test/golden/differences.test.ts\`
holds the list against the vectors, so that none is missing and none is listed that matches. What a reason follows from is
a decision of section 3 of the design.
`

/** The page, as Markdown. */
export function differencesPage(list: Differences): string {
  const { compared, matching } = countVectors(list)
  const reasons = Object.entries(list.reasons).map(([name, { decision, because }]) => [
    `\`${name}\``,
    decision === null ? 'section 2, ids' : String(decision),
    because,
  ])
  const files = Object.entries(list.files).flatMap(([file, { document, sections }]) => [
    `## ${file}, document ${document}`,
    ...Object.entries(sections).map(([name, section]) => sectionText(name, section)),
  ])
  const count = `${matching} of ${compared} vectors match, ${compared - matching} differ.`
  return `${[HEAD, count, '## Reasons', table(['reason', 'decision', 'why'], reasons), ...files].join('\n\n').replaceAll('\n\n\n', '\n\n')}\n`
}

function sectionText(name: string, { total, compared, differences }: Section): string {
  const summary = `${total - differences.length} of ${total} match. Compared: ${compared}.`
  const rows = differences.map(({ id, name, here, reasons }) => [
    id,
    ...(named(differences) ? [name ?? ''] : []),
    here,
    reasons.map((reason) => `\`${reason}\``).join(', '),
  ])
  const head = ['vector', ...(named(differences) ? ['name'] : []), 'here', 'reasons']
  return [`### ${name}`, summary, ...(rows.length === 0 ? [] : [table(head, rows)])].join('\n\n')
}

const named = (differences: readonly Difference[]): boolean => differences.some(({ name }) => name !== undefined)

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
