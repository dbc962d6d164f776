import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readInstant } from '../../packages/console/src/api/read-instant.ts'

describe('readInstant', () => {
  it.each([
    ['2026-11-22', '2026-11-22T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-11-22T10:30Z', '2026-11-22T10:30:00.000Z'],
    ['2026-11-22T10:30:59.1239Z', '2026-11-22T10:30:59.123Z'],
    ['2026-11-22T00:30:00+01:00', '2026-11-21T23:30:00.000Z'],
    ['2026-12-31T23:30:00-00:45', '2027-01-01T00:15:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('reads %s', (written, iso) => {
    expect(new Date(readInstant(written)!).toISOString()).toBe(iso)
  })

  it.each([
    '',
    '2026',
    '2026-11',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '0050-01-01',
    'July 2030',
    '1 Jan 2030',
    '22/11/2026',
    '2026-11-22T10:30:00',
    '2026-11-22 10:30Z',
    '2026-11-22T24:00Z',
    '2026-11-22T10:60Z',
    '2026-11-22T10:30:60Z',
    '2026-11-22T10:30+1:00',
    '2026-11-22T10:30+24:00',
    ' 2026-11-22',
    '2026-11-22\n',
    '+002026-11-22',
    '２０２６-11-22',
    '2026-11-22t10:30z',
    '2026-W47-7',
    'NaN',
    '9999-12-31T23:59:59-00:01',
  ])('rejects %j', (written) => {
    expect(readInstant(written)).toBeUndefined()
  })

  it('reads what Date writes', () => {
    const [min, max] = [new Date('0100-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')]
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
        expect(readInstant(date.toISOString())).toBe(date.getTime())
      }),
    )
  })
})
