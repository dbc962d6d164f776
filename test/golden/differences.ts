/** The one list of golden vectors that differ here on purpose, by file and list. */
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
