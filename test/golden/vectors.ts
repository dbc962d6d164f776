/** The golden vectors beside the repository, and what one of them came to here. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** Why a test of them was skipped. */
export const NOT_HERE = 'the golden vectors are not beside the repository (../shared/golden)'

/** A golden file, or `undefined` where it is not beside the repository. */
export function readGolden<Golden>(file: string): Golden | undefined {
  try {
    // Each file describes its own form; the comparisons read no more of it than they name.
    return JSON.parse(readFileSync(new URL(`../../../shared/golden/${file}.json`, import.meta.url), 'utf8')) as Golden
  } catch {
    return undefined
  }
}

/** A number as the files write it: JSON has none that are not finite. */
export type Figure = number | { readonly $f: string }

/** The number meant; `NaN` for nothing. */
export const numberOf = (figure: Figure | null | undefined): number =>
  typeof figure === 'object' && figure !== null ? Number(figure.$f) : (figure ?? NaN)

/** What a vector came to here. */
export interface Compared {
  readonly id: string
  readonly agrees: boolean
  /** What is given here instead, in short; of no interest where they agree. */
  readonly here: string
}

/** Compares what was found for each vector with what is expected of it, by Vitest's `toEqual`. */
export function compareAll<Vector>(
  vectors: readonly Vector[],
  idOf: (vector: Vector, at: number) => string,
  expectedOf: (vector: Vector) => unknown,
  foundFor: (vector: Vector) => unknown,
  say: (found: unknown) => string = JSON.stringify,
): Compared[] {
  return vectors.map((vector, at) => {
    const found = foundFor(vector)
    return { id: idOf(vector, at), agrees: isEqual(found, expectedOf(vector)), here: say(found) }
  })
}

function isEqual(found: unknown, expected: unknown): boolean {
  try {
    expect(found).toEqual(expected)
    return true
  } catch {
    return false
  }
}
