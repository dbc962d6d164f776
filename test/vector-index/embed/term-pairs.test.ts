import { describe, expect, test } from 'vitest'
import { openIndex } from '../../../packages/vector-index/src/protocol/embedded-index.ts'
import { answerCommand } from '../../../packages/vector-index/src/protocol/protocol.ts'
import { indexSettings } from '../../../packages/vector-index/src/settings.ts'
import { dimensionOf } from '../../../packages/vector-index/src/embed/bm25.ts'
import { pairedPassageVector, pairedQuestionVector } from '../../../packages/vector-index/src/embed/term-pairs.ts'
import { TERM_PAIRS_MODEL } from '../../../packages/vector-index/src/models.ts'
import { sqliteStorage } from '../sqlite-storage.ts'

const valuesOf = ({ indices, values }: ReturnType<typeof pairedPassageVector>): Map<number, number> =>
  new Map(Array.from(indices, (index, at) => [index, values[at]!]))

describe('the model of term pairs', () => {
  test('gives a passage the BM25 value of each term and of each pair', () => {
    // Three terms in two pairs, `gate` twice: 1.2 · (.25 + .75 · 3/64).
    const damping = 1.2 * (0.25 + (0.75 * 3) / 64)
    const values = valuesOf(pairedPassageVector('The gate, a gate opens'))
    expect(values.get(dimensionOf('gate'))).toBeCloseTo((2 * 2.2) / (2 + damping), 6)
    const pairs = [...values].filter(([dimension]) => dimension >= 0 && dimension < 65_536)
    expect(pairs.map(([, value]) => Number(value.toFixed(6)))).toEqual(
      [1, 1].map(() => Number((2.2 / (1 + damping)).toFixed(6))),
    )
    expect(values.size).toBe(4)
  })

  test('gives a question 1 for a term and .3 for a pair', () => {
    expect(
      [...pairedQuestionVector('operating system operating system').values].map((value) => value.toFixed(2)),
    ).toEqual(['1.00', '1.00', '0.30', '0.30'])
    expect(pairedQuestionVector('of the').indices).toHaveLength(0)
    expect(pairedQuestionVector('gate').indices).toEqual(Int32Array.of(dimensionOf('gate')))
  })

  test('puts the words that stand together first, where plain BM25 sees no difference', () => {
    const texts = ['This system is the one operating today', 'The operating system is the one today']
    const bestWith = (sparseEmbeddingModel: string): unknown => {
      const platform = { nowMs: () => 0, random: () => 0, randomUuid: () => '' }
      const index = openIndex(sqliteStorage(), indexSettings('pairs', { sparseEmbeddingModel }), platform)
      const send = (command: string, body: unknown): unknown =>
        answerCommand(index, { method: 'POST', path: [command], search: '', body }).body
      send(
        'upsert-data',
        texts.map((data, at) => ({ id: String(at), data })),
      )
      return send('query-data', { data: 'operating system', topK: 1, queryMode: 'SPARSE', weightingStrategy: 'IDF' })
    }
    expect(bestWith('BM25')).toMatchObject({ result: [{ id: '0' }] })
    expect(bestWith(TERM_PAIRS_MODEL)).toMatchObject({ result: [{ id: '1' }] })
  })
})
