import { describe, expect, test } from 'vitest'
import { termFrequencies } from '../../../packages/vector-index/src/embed/embedder.ts'
import { dimensionOf, passageVector, questionVector } from '../../../packages/vector-index/src/embed/bm25.ts'
import { SparsePostings, type SparseVector } from '../../../packages/vector-index/src/search/sparse.ts'

const passage = (text: string) => passageVector(termFrequencies(text))
const question = (text: string) => questionVector(termFrequencies(text))
const explicit = (indices: number[], values: number[]): SparseVector => ({
  indices: Int32Array.from(indices),
  values: Float32Array.from(values),
})

function postingsOf(...texts: string[]): SparsePostings {
  const postings = new SparsePostings()
  texts.forEach((text, slot) => postings.add(slot, passage(text)))
  return postings
}

test('a passage has the BM25 value of each of its terms', () => {
  // Three terms, one of them twice: 2.2·f / (f + 1.2·(.25 + .75·4/32)).
  const { indices, values } = passage('gate gate evidence retry')
  const damping = 1.2 * (0.25 + (0.75 * 4) / 32)
  expect(indices[0]).toBe(dimensionOf('gate'))
  expect(values[0]).toBeCloseTo((2 * 2.2) / (2 + damping), 6)
  expect(values[1]).toBeCloseTo(2.2 / (1 + damping), 6)
})

test.each([
  ['stands in one of four rows', 'one', Math.log(1 + 3.5 / 1.5)],
  ['stands in every row', 'common', Math.log(1 + 0.5 / 4.5)],
  ['stands nowhere', 'absent', Math.log(1 + 4.5 / 0.5)],
])('idf of a term that %s', (_name, term, expected) => {
  const postings = postingsOf('common one', 'common two', 'common three', 'common four')
  expect(postings.idf(dimensionOf([...termFrequencies(term).keys()][0]!))).toBeCloseTo(expected, 12)
})

describe('search', () => {
  const postings = postingsOf('cache answers by confidence', 'refuse weak evidence', 'cache cache evidence')

  test('leaves out rows without a shared term', () => {
    expect(postings.search(question('cache'), 10, 'IDF').map(({ slot }) => slot)).toEqual([2, 0])
  })

  test('finds nothing for unknown words and for none at all', () => {
    expect(postings.search(question('kubernetes'), 10, 'IDF')).toEqual([])
    expect(postings.search(question('?!'), 10, 'IDF')).toEqual([])
  })

  test('weights by idf only when asked', () => {
    const plain = postings.search(question('cache'), 1, 'none')[0]!.score
    const weighted = postings.search(question('cache'), 1, 'IDF')[0]!.score
    expect(weighted / plain).toBeCloseTo(Math.log(1 + 1.5 / 2.5), 6)
  })

  test('scores are the float32 inner product', () => {
    const rows = new SparsePostings()
    rows.add(0, explicit([1, 2, -7], [0.1, 0.2, 0.3]))
    const [found] = rows.search(explicit([2, -7, 9], [0.5, 0.25, 4]), 1, 'none')
    expect(found!.score).toBe(Math.fround(Math.fround(0.5 * Math.fround(0.2)) + Math.fround(0.25 * Math.fround(0.3))))
  })

  test('a dimension given twice counts with the sum', () => {
    const rows = new SparsePostings()
    rows.add(0, explicit([5, 5], [1, 2]))
    expect(rows.search(explicit([5], [1]), 1, 'none')).toEqual([{ slot: 0, score: 3 }])
    rows.remove(0, explicit([5, 5], [1, 2]))
    expect(rows.search(explicit([5], [1]), 1, 'none')).toEqual([])
  })
})

test('removing a row undoes adding it', () => {
  const before = postingsOf('alpha beta', 'beta gamma')
  const after = postingsOf('alpha beta', 'beta gamma')
  after.add(2, passage('beta delta'))
  after.remove(2, passage('beta delta'))
  for (const text of ['alpha', 'beta', 'gamma', 'delta']) {
    expect(after.search(question(text), 5, 'IDF')).toEqual(before.search(question(text), 5, 'IDF'))
  }
})

test('a row put back keeps its place among ties', () => {
  const postings = postingsOf('same words', 'same words', 'same words')
  postings.remove(1, passage('same words'))
  postings.add(1, passage('same words'))
  expect(postings.search(question('words'), 3, 'none').map(({ slot }) => slot)).toEqual([0, 1, 2])
})
