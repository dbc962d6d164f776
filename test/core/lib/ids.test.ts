import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunkId, namespaceOf, timeOfId, uuidv7 } from '../../../src/core/lib/ids.ts'
import { anyText } from '../../fixtures/any-text.ts'

describe('chunkId', () => {
  it('never changes for the same chunk, because stored chunks are found by it', () => {
    expect(chunkId('default', 'guide', 'Turn the key.', 0)).toBe('6ptclvrah2zv3wofcsyovwqjx4ocn75g')
    expect(chunkId('default', 'guide', 'Turn the key.', 1)).toBe('2bbc2kspkzbour6dsecefsln63jmjpn4')
    expect(chunkId('коллекция', 'документ 🜁', 'Ключ.', 0)).toBe('rdlvwuyr6sqgd7nv65nmzuj7mc2wband')
  })

  it('is 32 characters of base32, for any input', () => {
    fc.assert(
      fc.property(anyText(), fc.string(), fc.string(), fc.nat(), (a, b, c, n) => {
        expect(chunkId(a, b, c, n)).toMatch(/^[a-z2-7]{32}$/)
      }),
    )
  })

  it('differs when collection, document, text or occurrence differ, or when text moves from one to another', () => {
    const ids = [
      chunkId('c', 'd', 't', 0),
      chunkId('x', 'd', 't', 0),
      chunkId('c', 'x', 't', 0),
      chunkId('c', 'd', 'x', 0),
      chunkId('c', 'd', 't', 1),
      chunkId('cd', '', 't', 0),
      chunkId('c', 'dt', '', 0),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('namespaceOf', () => {
  it('never changes for the same tenant and collection, because an index is found by it', () => {
    expect(namespaceOf('default', 'default')).toBe('nwsrnxok5eoyl2j5anfub2ansmt')
    expect(namespaceOf('acme', 'manuals')).toBe('nnw6wxom53jrxhg4co45jhohfou')
  })

  it('is safe in a path, and differs between tenants and collections', () => {
    fc.assert(
      fc.property(anyText(), anyText(), (tenant, collection) => {
        expect(namespaceOf(tenant, collection)).toMatch(/^n[a-z2-7]{26}$/)
        expect(namespaceOf(`${tenant}x`, collection)).not.toBe(namespaceOf(tenant, `x${collection}`))
      }),
    )
    expect(namespaceOf('a', 'b')).not.toBe(namespaceOf('b', 'a'))
  })
})

describe('uuidv7', () => {
  const random = '00000000-0000-4fee-9dcc-bbaa99887766'

  it('has the layout of RFC 9562: time, version 7, variant 10, randomness', () => {
    // The time of the RFC's own example, section A.6.
    expect(uuidv7(0x017f22e279b0, random)).toBe('017f22e2-79b0-7fee-9dcc-bbaa99887766')
  })

  it('is well formed for any time and randomness', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.uuid({ version: 4 }), (ms, uuid) => {
        const id = uuidv7(ms, uuid)
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(ms)
      }),
    )
  })

  it('sorts by the millisecond of its creation', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 48 - 1 }), { minLength: 2, maxLength: 20 }),
        (times) => {
          const made = times.map((ms) => ({ ms, id: uuidv7(ms, random) }))
          const byId = [...made].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ ms }) => ms)
          expect(byId).toEqual([...times].sort((a, b) => a - b))
        },
      ),
    )
  })

  it('rounds a time before 1970 up to it, and a fraction of a millisecond down', () => {
    expect(uuidv7(-5, random)).toMatch(/^00000000-0000-7/)
    expect(uuidv7(1.9, random)).toMatch(/^00000000-0001-7/)
  })

  it('keeps its layout for times beyond the largest that it can hold', () => {
    expect(uuidv7(2 ** 50 + 3, random)).toBe('00000000-0003-7fee-9dcc-bbaa99887766')
  })
})

describe('timeOfId', () => {
  it.each([
    ['017f22e2-79b0-7fee-9dcc-bbaa99887766', 0x017f22e279b0],
    ['017f22e2-79b0-4fee-9dcc-bbaa99887766', undefined],
    ['x017f22e2-79b0-7fee-9dcc-bbaa99887766', undefined],
    ['017f22e-79b0-7fee-9dcc-bbaa99887766', undefined],
    ['017f22e2-79b-7fee-9dcc-bbaa99887766', undefined],
    ['017f22eg-79b0-7fee-9dcc-bbaa99887766', undefined],
    ['', undefined],
  ])('of %j is %s', (id, ms) => {
    expect(timeOfId(id)).toBe(ms)
  })
})
