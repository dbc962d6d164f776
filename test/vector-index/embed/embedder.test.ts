import { describe, expect, test } from 'vitest'
import { DIMENSION, embed, termFrequencies } from '../../../packages/vector-index/src/embed/embedder.ts'

const passage = (text: string) => embed(termFrequencies(text))
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0)

describe('an embedding', () => {
  test('has unit length and the declared dimension', () => {
    const vector = passage('Weak evidence is refused before a model is called.')
    expect(vector.length).toBe(DIMENSION)
    expect(cosine(vector, vector)).toBeCloseTo(1, 6)
  })

  test.each(['', '?!', 'the of and'])('of a text without terms (%j) is all zeros', (text) => {
    expect(passage(text).every((value) => value === 0)).toBe(true)
  })

  test('is the same for the same text in any case and white space', () => {
    expect(passage('Edge  caching\nworks')).toEqual(passage('edge caching works'))
  })

  test('is nearer to a misspelt word than to another one', () => {
    const word = passage('retrieval')
    expect(cosine(word, passage('retreival'))).toBeGreaterThan(cosine(word, passage('confidence')) + 0.2)
  })

  test('never changes for the same text, because stored vectors depend on it', () => {
    const filled = [...passage('gate')].flatMap((value, at) => (value === 0 ? [] : [[at, Number(value.toFixed(4))]]))
    expect(filled).toMatchInlineSnapshot(`
      [
        [
          94,
          -0.3536,
        ],
        [
          503,
          0.3536,
        ],
        [
          834,
          0.3536,
        ],
        [
          866,
          0.3536,
        ],
        [
          951,
          0.7071,
        ],
      ]
    `)
  })
})

test('a question vector is nearer to the term with the larger weight', () => {
  const question = embed(termFrequencies('common rare'), (term) => (term === 'rare' ? 5 : 0.1))
  expect(cosine(question, passage('rare'))).toBeGreaterThan(0.9)
  expect(cosine(question, passage('common'))).toBeLessThan(0.3)
})
