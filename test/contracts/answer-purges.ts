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
 * The contract of every list of purges.
 *
 * @param make an empty one each time
 */
export function answerPurgesContract(name: string, make: () => AnswerPurges | Promise<AnswerPurges>): void {
  describe(`${name} fulfils the contract of a list of purges`, () => {
    it('is empty at first', async () => {
      const known = await (await make()).known('acme')
      expect(known.purgedSince(known.epoch, [EVERYTHING, tenant('acme')])).toBe(false)
    })

    it('reports its own purge at once, for answers made before it and not for later ones', async () => {
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

    it('rejects a purge without a kind, or of another one, which would remove nothing', async () => {
      const purges = await make()
      for (const kind of [{}, { kind: 'colection' }]) {
        const scope = { ...kind, tenant: 'acme', collection: 'manual' } as PurgeScope
        await expect(purges.purge([scope])).rejects.toMatchObject({ code: 'config_invalid', param: 'kind' })
      }
    })

    it('keeps scopes separate: document, collection, tenant, everything', async () => {
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

    it('applies a purge of everything to every tenant, and any other to its own tenant only', async () => {
      const purges = await make()
      const before = { acme: (await purges.known('acme')).epoch, globex: (await purges.known('globex')).epoch }
      await purges.purge([tenant('acme')])
      expect((await purges.known('globex')).purgedSince(before.globex, [EVERYTHING, tenant('globex')])).toBe(false)
      await purges.purge([EVERYTHING])
      expect((await purges.known('acme')).purgedSince(before.acme, [EVERYTHING])).toBe(true)
      expect((await purges.known('globex')).purgedSince(before.globex, [EVERYTHING])).toBe(true)
    })

    it('applies a purge of several tenants to each of them, and counts its scopes for their own', async () => {
      const purges = await make()
      const before = (await purges.known('acme')).epoch
      const documents = (name: string): PurgeScope[] =>
        Array.from({ length: 1500 }, (_, at) => document(name, 'manual', String(at)))
      await purges.purge([...documents('acme'), ...documents('globex')])
      for (const name of ['acme', 'globex']) {
        const { purgedSince } = await purges.known(name)
        expect(purgedSince(before, [document(name, 'manual', '0')])).toBe(true)
        expect(purgedSince(before, [tenant(name), document(name, 'manual', 'another')])).toBe(false)
      }
    })

    it('keeps one answer and one question separate from others', async () => {
      const purges = await make()
      const answer = (tenantId: string, decisionId: string): PurgeScope => ({
        kind: 'answer',
        tenant: tenantId,
        decisionId,
      })
      const question = (id: string, text: string): PurgeScope => ({
        kind: 'question',
        tenant: 'acme',
        collection: id,
        question: text,
      })
      const before = (await purges.known('acme')).epoch
      await purges.purge([answer('acme', 'one'), question('manual', 'Why?')])
      const { purgedSince } = await purges.known('acme')
      const others = [answer('acme', 'two'), answer('globex', 'one'), question('manual', 'How?'), question('m', 'Why?')]
      expect(purgedSince(before, others)).toBe(false)
      expect([answer('acme', 'one'), question('manual', 'Why?')].map((one) => purgedSince(before, [one]))).toEqual([
        true,
        true,
      ])
    })

    it('misses none of many purges: beyond its capacity, the oldest count for all older answers', async () => {
      const purges = await make()
      const documents = (from: number): PurgeScope[] =>
        Array.from({ length: 1500 }, (_, at) => document('acme', 'manual', `document ${from + at}`))
      const before = (await purges.known('acme')).epoch
      const first = await purges.purge(documents(0))
      for (const from of [1500, 3000]) await purges.purge(documents(from))
      const last = await purges.purge([document('acme', 'manual', 'the last')])
      const { purgedSince } = await purges.known('acme')
      for (const scope of documents(0)) expect(purgedSince(before, [tenant('acme'), scope])).toBe(true)
      // No purge in between was missed, and states that know only the purge before the last are kept apart.
      expect(purgedSince(first, [tenant('acme'), document('acme', 'manual', 'document 1500')])).toBe(true)
      expect(purgedSince(last - 1, [tenant('acme'), document('acme', 'manual', 'another')])).toBe(false)
      expect(purgedSince(last - 1, [tenant('acme'), document('acme', 'manual', 'the last')])).toBe(true)
    })

    it('numbers purges upwards, with many scopes in one and many purges at once', async () => {
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
