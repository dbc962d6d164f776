import { describe, expect, it } from 'vitest'
import type { AnswerCache, StoredAnswer } from '../../src/ports/answer-cache.ts'
import { aStoredAnswer } from '../fixtures/decision.ts'

/**
 * The contract of every answer cache.
 *
 * @param make an empty cache each time
 */
export function answerCacheContract(name: string, make: () => AnswerCache | Promise<AnswerCache>): void {
  describe(`${name} fulfils the contract of an answer cache`, () => {
    it('returns nothing for a key that was never stored', async () => {
      const cache = await make()
      expect(await cache.get('unknown')).toBeNull()
    })

    it('returns an answer exactly as it was stored', async () => {
      const cache = await make()
      const key = 'key\u0000 with "quotes", ümläut and 🗝'
      const answer = aStoredAnswer(key, {
        status: 203,
        headers: [
          ['Content-Type', 'text/plain'],
          ['X-Note', 'one'],
          ['X-Note', 'two'],
        ],
        body: 'line\r\nline\u2028 <b>"🗝"</b> ' + 'é'.repeat(20_000),
        model: 'model-1',
        ageSeconds: 7,
        purgeEpoch: 1_799_000_000_001,
      })
      await cache.put(key, answer)
      expect(await cache.get(key)).toEqual(answer)
    })

    it('keeps answers of different keys separate', async () => {
      const cache = await make()
      const keys = [
        'a',
        'A',
        'a ',
        ' a',
        'a\u0000',
        '',
        'á',
        'a\u0301',
        '%61',
        '../a',
        'a?b',
        'a#b',
        'x'.repeat(10_000),
      ]
      for (const key of keys) await cache.put(key, aStoredAnswer(key, { body: `answer of ${key}` }))
      for (const key of keys) expect((await cache.get(key))?.body).toBe(`answer of ${key}`)
    })

    it('replaces an answer by a later one with the same key', async () => {
      const cache = await make()
      await cache.put('key', aStoredAnswer('key', { body: 'former' }))
      await cache.put('key', aStoredAnswer('key', { body: 'latter' }))
      expect((await cache.get('key'))?.body).toBe('latter')
    })

    it('deletes only the given answer', async () => {
      const cache = await make()
      await cache.put('one', aStoredAnswer('one'))
      await cache.put('other', aStoredAnswer('other'))
      await cache.delete('one')
      await cache.delete('unknown')
      expect(await cache.get('one')).toBeNull()
      expect(await cache.get('other')).toEqual(aStoredAnswer('other'))
    })

    it('never returns an answer that contains another key', async () => {
      const cache = await make()
      await cache.put('asked', aStoredAnswer('another'))
      expect(await cache.get('asked')).toBeNull()
      expect(await cache.get('another')).toBeNull()
    })

    it('stores an entry that refers to another key', async () => {
      const cache = await make()
      await cache.put('first', aStoredAnswer('first'))
      await cache.put('second', aStoredAnswer('second', { sameAs: 'first', body: '' }))
      const { sameAs } = (await cache.get('second'))!
      expect((await cache.get(sameAs!))?.body).toBe(aStoredAnswer('first').body)
    })

    it('never returns an answer of another format version', async () => {
      const cache = await make()
      // The format of another version of this package.
      await cache.put('key', { ...aStoredAnswer('key'), schema: 99 } as unknown as StoredAnswer)
      expect(await cache.get('key')).toBeNull()
    })

    it('keeps a stored answer unchanged when the given object changes', async () => {
      const cache = await make()
      const headers: [string, string][] = [['X-Note', 'as stored']]
      await cache.put('key', aStoredAnswer('key', { headers }))
      headers[0]![1] = 'changed by the one who stored it'
      headers.push(['X-Added', 'later'])
      const read = await cache.get('key')
      // It may be immutable, or a copy.
      Reflect.set(read!.decision, 'tenant', 'changed by the one who read it')
      expect(await cache.get('key')).toEqual(aStoredAnswer('key', { headers: [['X-Note', 'as stored']] }))
    })
  })
}
