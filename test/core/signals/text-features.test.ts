import { describe, expect, it } from 'vitest'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { read } from '../../../src/core/signals/text-features.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'

describe('read', () => {
  it('takes every chunk for one of mean length where no collection is known', () => {
    const bm25 = (text: string): number => read('engine', evidenceOf([text]), EMPTY_LEXICON).chunks[0]!.bm25
    // ln 202 · 1 · 2.2 / (1 + 1.2), however long the chunk is.
    expect(bm25('Engine.')).toBeCloseTo(Math.log(202), 12)
    expect(bm25('Engine, red paint, blue paint.')).toBeCloseTo(Math.log(202), 12)
  })
})
