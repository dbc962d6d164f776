import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../bench/seeded-random.ts'
import { loadKernel } from '../../../scripts/load-kernel.ts'
import { KernelMemory } from '../../../packages/vector-index/src/search/dense/kernel-memory.ts'
import { KernelRows } from '../../../packages/vector-index/src/search/dense/kernel-rows.ts'
import { PlainRows } from '../../../packages/vector-index/src/search/dense/plain-rows.ts'
import { float32Row } from '../../../packages/vector-index/src/search/scan.ts'
import { SparsePostings } from '../../../packages/vector-index/src/search/sparse.ts'

const DIMENSION = 1536
const COUNT = 400

describe.each([
  ['the kernel', () => new KernelRows(new KernelMemory(loadKernel()), DIMENSION)],
  ['its twin', () => new PlainRows()],
])('near-duplicates in %s', (_name, make) => {
  test.each(['COSINE', 'DOT_PRODUCT', 'EUCLIDEAN'] as const)('keep their order by %s', (similarity) => {
    const random = seededRandom(3)
    const question = Float32Array.from({ length: DIMENSION }, () => (random() - 0.5) / 20)
    const rows = make()
    const exact: { slot: number; near: number }[] = []
    for (let slot = 0; slot < COUNT; slot++) {
      const row = question.map((value) => value * (1 + 1e-4 * (random() - 0.5)))
      rows.put(slot, float32Row(row))
      const sum = (term: (at: number) => number) => row.reduce((total, _value, at) => total + term(at), 0)
      const product = sum((at) => row[at]! * question[at]!)
      const nearBy = {
        COSINE: product / Math.sqrt(sum((at) => row[at]! ** 2)),
        DOT_PRODUCT: product,
        EUCLIDEAN: -sum((at) => (row[at]! - question[at]!) ** 2),
      }
      exact.push({ slot, near: nearBy[similarity] })
    }
    const found = rows.search(question, 20, { similarity })
    const expected = exact.sort((a, b) => b.near - a.near).slice(0, 20)
    expect(found.map(({ slot }) => slot)).toEqual(expected.map(({ slot }) => slot))
    found.forEach(({ score }, at) => {
      expect(score).toBeLessThanOrEqual(found[at - 1]?.score ?? 1)
      expect(score).toBe(Math.fround(score))
    })
  })
})

test('near-duplicates of sparse vectors keep their order, and their scores fall', () => {
  const random = seededRandom(5)
  const indices = Int32Array.from({ length: 300 }, (_, at) => at)
  const asked = Float32Array.from(indices, () => random())
  const postings = new SparsePostings()
  const exact = Array.from({ length: COUNT }, (_, slot) => {
    const values = asked.map((value) => value * (1 + 1e-6 * (random() - 0.5)))
    postings.add(slot, { indices, values })
    return { slot, near: values.reduce((sum, value, at) => sum + value * asked[at]!, 0) }
  })
  const found = postings.search({ indices, values: asked }, 20, 'none')
  const expected = exact.sort((a, b) => b.near - a.near).slice(0, 20)
  expect(found.map(({ slot }) => slot)).toEqual(expected.map(({ slot }) => slot))
  found.forEach(({ score }, at) => expect(score).toBeLessThanOrEqual(found[at - 1]?.score ?? Infinity))
})
