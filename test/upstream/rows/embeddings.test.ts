import { describe, expect, test } from 'vitest'
import { questionVector, readEmbeddings } from '../../../packages/upstream/src/rows/embeddings.ts'

describe('vectors of an embedder', () => {
  test('are read in the given order', () => {
    const vectors = [
      [0.1, -0.2],
      [0, 1e-9],
    ]
    expect(readEmbeddings(vectors, 2, 2)).toEqual(vectors)
    expect(readEmbeddings([], 0, 2)).toEqual([])
  })

  test.each<[string, unknown, string]>([
    ['no list', { length: 1, 0: [1, 2] }, 'not one vector for each text'],
    ['nothing', null, 'not one vector for each text'],
    ['fewer', [], 'not one vector for each text'],
    [
      'more',
      [
        [1, 2],
        [1, 2],
      ],
      'not one vector for each text',
    ],
    ['a vector in an object', [{ length: 2, values: [1, 2] }], 'a vector that is not a list'],
    ['a typed array', [Float32Array.of(1, 2)], 'a vector that is not a list'],
    ['a number as a text', [[1, '2']], 'a vector of what are not numbers'],
    ['NaN', [[NaN, 2]], 'a vector of what are not numbers'],
    ['infinity', [[1, Infinity]], 'a vector of what are not numbers'],
    ['null', [[1, null]], 'a vector of what are not numbers'],
    ['holes', [Array(2)], 'a vector of what are not numbers'],
  ])('with %s are rejected', (_name, value, detail) => {
    expect(() => readEmbeddings(value, 1, 2)).toThrow(
      expect.objectContaining({
        code: 'retriever_bad_response',
        message: `The embedder sent an unexpected response: ${detail}`,
      }),
    )
  })

  test.each([[[[1]]], [[[1, 2, 3]]]])('of another dimension are rejected: %j', (vectors) => {
    expect(() => readEmbeddings(vectors, 1, 2)).toThrow(
      expect.objectContaining({
        code: 'embedding_mismatch',
        message: `The embedder made ${vectors[0]!.length} dimensions, not 2`,
      }),
    )
  })
})

describe('the vector of a question', () => {
  test('may be a typed array', () =>
    expect(questionVector([Float32Array.of(1, 2)] as never, { dimension: 2 })).toEqual([1, 2]))

  test('are not copied for a false length', () => {
    expect(() => questionVector([{ length: 2 ** 32 - 1 }] as never, { dimension: 2 })).toThrow(
      expect.objectContaining({
        code: 'embedding_mismatch',
        message: 'The vectors have 2 dimensions and the embedder makes 4294967295',
      }),
    )
  })

  test.each([undefined, null, {}, ['ab'], [], [null], [[]], [1, 2], [{}], [['1', '2']], [[NaN, 2]]])(
    'is rejected in %j',
    (made) => {
      expect(() => questionVector(made as never, { dimension: 2 })).toThrow(
        expect.objectContaining({
          code: 'retriever_bad_response',
          message: 'The embedder returned no vector of numbers',
        }),
      )
    },
  )
})
