import { expect, test } from 'vitest'
import { vectorizeRow } from '../../scripts/vectorize-row.ts'

const row = { id: 'a', vector: [1, 0.5] }

test('a row for Vectorize has the text in its metadata, and no name for the default namespace', () => {
  expect(vectorizeRow('', row)).toEqual({ id: 'a', values: [1, 0.5] })
  expect(
    vectorizeRow('n', {
      ...row,
      data: 'text',
      metadata: { at: 1 },
      sparseVector: { indices: [1], values: [1] },
    }),
  ).toEqual({ id: 'a', values: [1, 0.5], namespace: 'n', metadata: { data: 'text', at: 1 } })
  expect(vectorizeRow('', { ...row, data: 'text', metadata: { data: 'own' } }).metadata).toEqual({ data: 'own' })
})

test.each([
  [{ id: 'a' }, '', 'it has no dense part'],
  [{ ...row, vector: Array.from({ length: 1537 }, () => 1) }, '', 'more than 1536 dimensions'],
  [{ ...row, id: 'é'.repeat(33) }, '', 'its id is longer than 64 bytes'],
  [row, 'n'.repeat(65), 'the namespace is longer than 64 bytes'],
  [{ ...row, data: 'x'.repeat(10_300) }, '', 'larger than 10240 bytes'],
])('a row beyond the limits of Vectorize is rejected (%#)', (given, namespace, problem) => {
  expect(() => vectorizeRow(namespace, given)).toThrow(problem)
})
