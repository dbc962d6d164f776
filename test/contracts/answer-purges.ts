import { describe, expect, it } from 'vitest'
import type { PurgeScope } from '../../src/core/policy/purge-scope.ts'
import type { AnswerPurges } from '../../src/ports/answer-purges.ts'

const EVERYTHING: PurgeScope = { kind: 'everything' }
const tenant = (name: string): PurgeScope => ({ kind: 'tenant', tenant: name })
const collection = (name: string, id: string): PurgeScope => ({ kind: 'collection', tenant: name, collection: id })
const document = (name: string, id: string, documentId: string): PurgeScope => ({
  kind: 'document',
  tenant: name,
  collection: id,
  documentId,
})

/**
 * What every list of purges promises.
 *
 * @param make an empty one each time
 */
export function answerPurgesContract(name: string, make: () => AnswerPurges | Promise<AnswerPurges>): void {
  describe(`${name} keeps the promises of a list of purges`, () => {
    it('knows of none at first', async () => {
      const known = await (await make()).known('acme')
      expect(known.purgedSince(known.epoch, [EVERYTHING, tenant('acme')])).toBe(false)
    })

    it('knows of its own purge at once, for what was made before and not for what is made afterwards', async () => {
      const purges = await make()
      const before = await purges.known('acme')
      const epoch = await purges.purge([collection('acme', 'manual')])
      const after = await purges.known('acme')
      expect(epoch).toBeGreaterThan(before.epoch)
      expect(after.epoch).toBeGreaterThanOrEqual(epoch)
      expect(after.purgedSince(before.epoch, [collection('acme', 'manual')])).toBe(true)
      expect(after.purgedSince(after.epoch, [collection('acme', 'manual')])).toBe(false)
      expect(before.purgedSince(before.epoch, [collection('acme', 'manual')])).toBe(false)
    })

    it('keeps scopes apart: document, collection, tenant, everything', async () => {
      const purges = await make()
      const before = (await purges.known('acme')).epoch
      await purges.purge([document('acme', 'manual', 'a:1')])
      const known = await purges.known('acme')
      const others = [
        EVERYTHING,
        tenant('acme'),
        collection('acme', 'manual'),
        document('acme', 'manual', 'a'),
        document('acme', 'manua', 'la:1'),
        document('acme', 'other', 'a:1'),
      ]
      expect(known.purgedSince(before, others)).toBe(false)
      expect(known.purgedSince(before, [...others, document('acme', 'manual', 'a:1')])).toBe(true)
    })

    it('reaches every tenant with a purge of everything, and none but its own with any other', async () => {
      const purges = await make()
      const before = { acme: (await purges.known('acme')).epoch, globex: (await purges.known('globex')).epoch }
      await purges.purge([tenant('acme')])
      expect((await purges.known('globex')).purgedSince(before.globex, [EVERYTHING, tenant('globex')])).toBe(false)
      await purges.purge([EVERYTHING])
      expect((await purges.known('acme')).purgedSince(before.acme, [EVERYTHING])).toBe(true)
      expect((await purges.known('globex')).purgedSince(before.globex, [EVERYTHING])).toBe(true)
    })

    it('numbers purges upwards, many scopes in one and many purges at once', async () => {
      const purges = await make()
      const before = (await purges.known('acme')).epoch
      const documents = Array.from({ length: 1000 }, (_, at) => document('acme', 'manual', `document ${at}`))
      const first = await purges.purge(documents)
      const rest = await Promise.all([1, 2, 3].map(() => purges.purge([collection('acme', 'manual')])))
      expect(new Set([first, ...rest]).size).toBe(4)
      expect(Math.min(...rest)).toBeGreaterThan(first)
      const known = await purges.known('acme')
      for (const scope of documents) expect(known.purgedSince(before, [scope])).toBe(true)
    })
  })
}
