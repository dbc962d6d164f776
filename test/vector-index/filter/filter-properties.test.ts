import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { filterCondition } from '../../../packages/vector-index/src/filter/filter-condition.ts'
import { ProtocolError } from '../../../packages/vector-index/src/protocol-error.ts'
import { filterArbitrary, metadataArbitrary } from './filter-arbitraries.ts'
import { printFilter } from './print-filter.ts'
import { isSelected } from './reference-filter.ts'
import { anyText } from '../../fixtures/any-text.ts'
import { growth, PROPORTION } from '../../growth.ts'
import { examples } from '../../properties.ts'

const rowsArbitrary = fc.array(metadataArbitrary, { minLength: 1, maxLength: 12, size: 'max' })

describe('a filter of any form', () => {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE vectors (position INTEGER PRIMARY KEY, metadata BLOB)')
  const insert = database.prepare('INSERT INTO vectors VALUES (?, jsonb(?))')
  afterAll(() => database.close())

  test('selects the rows that an independent reading of the grammar selects', () => {
    let selectedRows = 0
    let allRows = 0
    const property = fc.property(filterArbitrary, rowsArbitrary, ({ filter, text }, rows) => {
      database.exec('DELETE FROM vectors')
      for (const [at, row] of rows.entries()) insert.run(at, row === undefined ? null : JSON.stringify(row))
      const bySql = database.prepare(`SELECT position FROM vectors WHERE ${filterCondition(text)}`).all()
      const found = Array.from(rows.keys()).filter((at) => isSelected(filter, rows[at]))
      expect(bySql.map(({ position }) => position)).toEqual(found)
      selectedRows += found.length
      allRows += rows.length
    })
    fc.assert(property, { numRuns: examples(1000) })
    // Filters that never, or always, find would prove little.
    expect(selectedRows / allRows).toBeGreaterThan(0.1)
    expect(selectedRows / allRows).toBeLessThan(0.9)
  })

  test('means the same however it is written', () => {
    fc.assert(
      fc.property(filterArbitrary, ({ filter, text }) => {
        expect(filterCondition(text)).toBe(filterCondition(printFilter(filter)))
      }),
      { numRuns: examples(300) },
    )
  })
})

describe('a text that may not be a filter', () => {
  const words = "a b.c x[0] x[ AND or NOT IN GLOB has FIELD contains true ( ) , = != < >= ! ' 's' 1 - 1e999 . # ; --"
  const pieces = fc.constantFrom(...words.split(' '), '"', '\n', ' ', '\0', '\ud800', '😀')
  const texts = fc.oneof(
    anyText({ maxLength: 200 }),
    fc.array(pieces, { maxLength: 40 }).map((some) => some.join(' ')),
    fc.array(pieces, { maxLength: 40 }).map((some) => some.join('')),
    // A filter with one character gone, or one too many.
    fc
      .tuple(filterArbitrary, fc.nat(), fc.constantFrom('', "'", '(', ')', '=', '[', ' ', 'x', '\0'))
      .map(([{ text }, at, other]) => {
        const place = at % text.length
        return text.slice(0, place) + other + text.slice(place + 1)
      }),
  )

  test('is parsed, or rejected with a line and a column', () => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          filterCondition(text)
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ProtocolError)
          const { status, message } = thrown as ProtocolError
          expect(status).toBe(422)
          expect(message).toMatch(/^Invalid filter\. At line \d+:\d+ \S/)
        }
      }),
      { numRuns: examples(2000) },
    )
  })

  test.each([
    ['parentheses that never close', '', '('],
    ['a string that never ends', "a = '", 'x'],
    ['quotes', '', "'"],
    ['one long number', '', '1'],
    ['one long identifier', 'a', '.'],
    ['an identifier of brackets', 'a', '[0]'],
    ['an endless conjunction', '', 'a=1 AND '],
    ['space', '', ' '],
    ['an endless list', 'a IN (', '1,'],
  ])('is rejected in linear time: %s', async (_name, begin, unit) => {
    const length = 64_000
    const refusal = (text: string): void =>
      expect(() => filterCondition(begin + text)).toThrow(/^Invalid filter\. At line 1:\d+ \S.{0,120}$/s)
    refusal(unit.repeat(length / unit.length))
    // What makes each text another stands before it.
    expect(await growth((text) => refusal(text.slice(1)), unit, length)).toBeLessThan(PROPORTION)
  })
})
