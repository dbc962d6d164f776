import { describe, expect, it } from 'vitest'
import { chunkCosineGap } from '../../../src/core/signals/chunk-cosine-gap.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'
import { buildLexicon, read } from '../../fixtures/english.ts'

/** Every term alike. */
const ALIKE = buildLexicon(['Engine, start, stop, repair, red, blue paint.'])

const gap = (...texts: string[]): number => chunkCosineGap(read('Does the engine start?', evidenceOf(texts), ALIKE))

describe('chunkCosineGap', () => {
  it.each([
    ['a single chunk is 0', ['Engine start.'], 0],
    ['a chunk that alone contains the terms is 1', ['Engine start.', 'Red.'], 1],
    [
      'a repeated term counts its square root',
      ['Engine, engine. Start, paint.', 'Red.'],
      (Math.SQRT2 + 1) / Math.sqrt(8),
    ],
    ['a lead over the runner-up', ['Engine start.', 'Engine stop.'], 0.5],
    ['the same lead in another order', ['Engine stop.', 'Red paint.', 'Engine start.'], 0.5],
    ['a lead among three', ['Engine stop.', 'Engine start.', 'Engine start, red paint.'], 1 - Math.SQRT1_2],
    ['a tie', ['Engine start.', 'Start engine.'], 0],
    ['chunks without a term of the question is 0', ['Red paint.', ''], 0],
    ['no chunks', [], 0],
  ])('of %s', (_, texts, expected) => {
    expect(gap(...texts)).toBeCloseTo(expected, 12)
  })
})
