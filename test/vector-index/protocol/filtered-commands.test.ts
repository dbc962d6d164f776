import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/core/lib/json.ts'
import { filterArbitrary, metadataArbitrary } from '../filter/filter-arbitraries.ts'
import { isSelected } from '../filter/reference-filter.ts'
import { testIndex, type TestIndex } from '../test-index.ts'
import { examples } from '../../properties.ts'

const DENSE = { indexType: 'DENSE', dimension: 2 }

interface Item {
  readonly id: string
  readonly vector: readonly number[]
  readonly sparseVector?: { readonly indices: readonly number[]; readonly values: readonly number[] }
  readonly metadata?: Readonly<Record<string, Json>> | undefined
}

/** Rows further and further from the vector [1, 0], so that the order of ids is the order of answers. */
function items(count: number, metadataOf: (at: number) => Record<string, Json>): Item[] {
  return Array.from({ length: count }, (_, at) => {
    const angle = (at / count) * Math.PI
    return { id: String(at), vector: [Math.cos(angle), Math.sin(angle)], metadata: metadataOf(at) }
  })
}

function upsert(index: TestIndex, namespace: string, rows: readonly Item[]): void {
  for (let at = 0; at < rows.length; at += 1000) index.resultOf(`upsert/${namespace}`, rows.slice(at, at + 1000))
}

function find(index: TestIndex, filter: string, topK = 1000, namespace = ''): string[] {
  const rows = index.resultOf(`query/${namespace}`, { vector: [1, 0], topK, filter }) as { id: string }[]
  return rows.map(({ id }) => id)
}

describe('a query with a filter', () => {
  test('finds the best of the selected rows, and never fewer than exist', () => {
    const index = testIndex(DENSE)
    upsert(
      index,
      '',
      items(2500, (at) => ({ at, rare: at % 500 === 499, kind: ['a', 'b', 'c'][at % 3]! })),
    )
    expect(find(index, 'rare = true', 10)).toEqual(['499', '999', '1499', '1999', '2499'])
    expect(find(index, 'rare = true', 2)).toEqual(['499', '999'])
    expect(find(index, 'at >= 511 AND at <= 513')).toEqual(['511', '512', '513'])
    expect(find(index, "kind = 'c' AND at > 2490")).toEqual(['2492', '2495', '2498'])
    expect(find(index, 'at < 0')).toEqual([])
    expect(find(index, '', 3)).toEqual(['0', '1', '2'])
  })

  test('answers like an index of the selected rows only, in both parts and fused', () => {
    const numbers = fc.constantFrom(-1, 0, 0.5, 1, 2)
    const rowArbitrary = fc.record(
      {
        vector: fc.tuple(numbers, numbers),
        sparseVector: fc
          .uniqueArray(fc.nat(3), { minLength: 1, maxLength: 3 })
          .map((indices) => ({ indices, values: indices.map((at) => at + 0.5) })),
        metadata: metadataArbitrary,
      },
      { requiredKeys: ['vector', 'sparseVector'] },
    )
    const query = {
      vector: [1, 0.5],
      sparseVector: { indices: [0, 1, 2], values: [1, 2, 0.5] },
      topK: 4,
      includeMetadata: true,
    }
    const modes = [{ queryMode: 'DENSE' }, { queryMode: 'SPARSE' }, {}, { fusionAlgorithm: 'DBSF' }]
    fc.assert(
      fc.property(filterArbitrary, fc.array(rowArbitrary, { maxLength: 12 }), ({ filter, text }, rows) => {
        const index = testIndex({ indexType: 'HYBRID', dimension: 2 })
        const all = rows.map((row, at) => ({ id: `r${at}`, ...row }))
        const selected = all.filter(({ metadata }) => isSelected(filter, metadata))
        if (all.length > 0) upsert(index, 'all', all)
        if (selected.length > 0) upsert(index, 'selected', selected)
        for (const mode of modes) {
          const expected = index.resultOf('query/selected', { ...query, ...mode })
          expect(index.resultOf('query/all', { ...query, ...mode, filter: text })).toEqual(expected)
        }
        expect(index.resultOf('delete/all', { filter: text })).toEqual({ deleted: selected.length })
        const left = index.resultOf('range/all', { cursor: 0, limit: 100 }) as { vectors: { id: string }[] }
        expect(left.vectors.map(({ id }) => id)).toEqual(
          all.filter((row) => !selected.includes(row)).map(({ id }) => id),
        )
      }),
      { numRuns: examples(200) },
    )
  })

  test('sees every write at once', () => {
    const index = testIndex(DENSE)
    upsert(
      index,
      '',
      items(1100, (at) => ({ at, on: at % 100 === 0 })),
    )
    const on = () => find(index, 'on = 1').map(Number)
    const expected = [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]
    expect(on()).toEqual(expected)
    const [row] = items(1100, () => ({ on: true })).slice(600, 601)
    index.resultOf('upsert', { ...row, metadata: { on: false } })
    expect(on()).toEqual(expected.filter((at) => at !== 600))
    index.resultOf('upsert', { ...row, metadata: undefined })
    expect(find(index, 'HAS NOT FIELD on')).toEqual(['600'])
    index.resultOf('update', { id: '601', metadata: { on: true }, metadataUpdateMode: 'PATCH' })
    index.resultOf('delete', ['100', '700'])
    index.resultOf('upsert', { id: '2000', vector: [-1, 0], metadata: { on: 1 } })
    const changed = [0, 200, 300, 400, 500, 601, 800, 900, 1000, 2000]
    expect(on()).toEqual(changed)
    index.restart()
    expect(on()).toEqual(changed)
    index.resultOf('reset', [])
    expect(on()).toEqual([])
    upsert(
      index,
      '',
      items(3, () => ({ on: true })),
    )
    expect(on()).toEqual([0, 1, 2])
  })

  test('keeps namespaces separate', () => {
    const index = testIndex(DENSE)
    for (const namespace of ['one', 'two']) {
      upsert(
        index,
        namespace,
        items(3, (at) => ({ in: `${namespace}${at}` })),
      )
    }
    expect(find(index, "in.x = 1 OR HAS FIELD at OR in_ = 'x'", 9, 'one')).toEqual([])
    index.resultOf('delete/one', { filter: 'HAS NOT FIELD x' })
    expect(index.resultOf('list-namespaces')).toEqual(['', 'one', 'two'])
    expect(find(index, 'HAS NOT FIELD x', 9, 'two')).toEqual(['0', '1', '2'])
  })

  test('can be one of several, each with its own filter', () => {
    const index = testIndex(DENSE)
    upsert(
      index,
      '',
      items(4, (at) => ({ at })),
    )
    const queries = ['at = 1', 'at = 2', ''].map((filter) => ({ vector: [1, 0], topK: 1, filter }))
    const answers = index.resultOf('query', queries) as { id: string }[][]
    expect(answers.map(([row]) => row?.id)).toEqual(['1', '2', '0'])
  })

  test('applies to all batches of a resumed query, also after a restart', () => {
    const index = testIndex(DENSE)
    upsert(
      index,
      '',
      items(20, (at) => ({ odd: at % 2 === 1 })),
    )
    const body = { vector: [1, 0], topK: 3, filter: 'odd = true' }
    const { uuid, scores } = index.resultOf('resumable-query', body) as { uuid: string; scores: { id: string }[] }
    index.restart()
    const more = index.resultOf('resumable-query-next', { uuid, additionalK: 50 }) as { id: string }[]
    expect([scores, more].map((batch) => batch.map(({ id }) => Number(id)))).toEqual([
      [1, 3, 5],
      [7, 9, 11, 13, 15, 17, 19],
    ])
    expect(index.failureOf('resumable-query', { ...body, filter: 'odd' })).toContain('422 Invalid filter. At line 1:3')
  })

  test('finds texts by their metadata', () => {
    const index = testIndex()
    const texts = ['en', 'de', 'tr'].map((lang) => ({ id: lang, data: `the gate of ${lang}`, metadata: { lang } }))
    index.resultOf('upsert-data', texts)
    const query = { data: 'gate', topK: 5, filter: "lang IN ('de', 'tr')", includeMetadata: true }
    const rows = index.resultOf('query-data', query) as { metadata: { lang: string } }[]
    expect(new Set(rows.map(({ metadata }) => metadata.lang))).toEqual(new Set(['de', 'tr']))
  })
})

describe('delete by filter', () => {
  test('removes on all pages what a query would have found', () => {
    const index = testIndex(DENSE)
    const rows = items(1300, (at) => ({ at, third: at % 3 === 0 }))
    upsert(index, '', rows)
    const found = find(index, 'third = true AND at >= 500')
    expect(index.resultOf('delete', { filter: 'third = true AND at >= 500' })).toEqual({ deleted: found.length })
    expect(found).toHaveLength(267)
    expect(find(index, 'third = true AND at >= 500')).toEqual([])
    expect(find(index, 'third = true')).toHaveLength(167)
    expect(index.resultOf('info')).toMatchObject({ vectorCount: 1300 - 267 })
    expect(index.resultOf('delete', { filter: 'third = true AND at >= 500' })).toEqual({ deleted: 0 })
  })

  test('treats filter values as values, not as SQL', () => {
    const index = testIndex(DENSE)
    const value = "x') OR 1=1; DROP TABLE vectors --"
    upsert(
      index,
      '',
      items(3, (at) => ({ a: at === 1 ? value : 'y' })),
    )
    expect(index.resultOf('delete', { filter: `a = "${value}"` })).toEqual({ deleted: 1 })
    expect(find(index, `a IN ("${value}", 'y')`)).toEqual(['0', '2'])
  })

  test('in a namespace that does not exist removes nothing', () => {
    const index = testIndex(DENSE)
    expect(index.resultOf('delete/nowhere', { filter: 'a = 1' })).toEqual({ deleted: 0 })
    expect(index.resultOf('list-namespaces')).toEqual([''])
  })
})
