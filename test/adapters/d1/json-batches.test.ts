import { describe, expect, it } from 'vitest'
import { jsonBatches } from '../../../src/adapters/d1/json-batches.ts'

describe('jsonBatches', () => {
  it('returns no batch without values', () => {
    expect(jsonBatches([])).toEqual([])
  })

  it('puts small values together', () => {
    expect(jsonBatches([1, 'two', null, [3]])).toEqual(['[1,"two",null,[3]]'])
  })

  it('keeps every batch below 1 MB of UTF-8, and every value once and in order', () => {
    const values = Array.from({ length: 40 }, (_, at) => `${at}${'漢'.repeat(30_000)}`)
    const batches = jsonBatches(values)
    expect(batches.flatMap((batch) => JSON.parse(batch) as unknown)).toEqual(values)
    for (const batch of batches) expect(new TextEncoder().encode(batch).length).toBeLessThan(1_000_000)
  })

  it('gives a value that is too long its own batch', () => {
    const long = 'x'.repeat(400_000)
    expect(jsonBatches(['a', long, 'b'])).toEqual(['["a"]', JSON.stringify([long]), '["b"]'])
  })

  it('writes numbers that are not finite as null', () => {
    expect(jsonBatches([[Number.NaN, Number.POSITIVE_INFINITY]])).toEqual(['[[null,null]]'])
  })
})
