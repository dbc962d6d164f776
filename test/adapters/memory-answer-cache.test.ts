import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/seeded-random.ts'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { answerCacheContract } from '../contracts/answer-cache.ts'
import { aStoredAnswer } from '../fixtures/decision.ts'

answerCacheContract('memory', () => createMemoryAnswerCache())

/** Bytes that the cache counts for an answer. */
function bytesOf(key: string, body: string): number {
  return 2 * (key.length + JSON.stringify(aStoredAnswer(key, { body })).length)
}

describe('createMemoryAnswerCache', () => {
  it('removes the least recently used answers when it is full', async () => {
    const body = 'x'.repeat(1_000)
    const cache = createMemoryAnswerCache({ maxBytes: 3 * bytesOf('1', body) })
    for (const key of ['1', '2', '3']) await cache.put(key, aStoredAnswer(key, { body }))
    await cache.get('1')
    await cache.put('4', aStoredAnswer('4', { body }))
    const kept = await Promise.all(['1', '2', '3', '4'].map(async (key) => (await cache.get(key)) !== null))
    expect(kept).toEqual([true, false, true, true])
  })

  it('keeps the most recently used answers, whatever is stored, read and deleted', async () => {
    const random = seededRandom(3)
    const cache = createMemoryAnswerCache({ maxBytes: 3 * bytesOf('0', '') })
    // The one used longest ago first.
    let expected: string[] = []
    for (let step = 0; step < 2_000; step++) {
      const key = String(Math.floor(random() * 5))
      const others = expected.filter((other) => other !== key)
      const use = random()
      if (use < 0.6) {
        expect((await cache.get(key)) !== null).toBe(expected.includes(key))
        if (expected.includes(key)) expected = [...others, key]
      } else if (use < 0.9) {
        await cache.put(key, aStoredAnswer(key, { body: '' }))
        expected = [...others, key].slice(-3)
      } else {
        await cache.delete(key)
        expected = others
      }
    }
  })

  it('removes as many small answers as a large one needs room', async () => {
    const cache = createMemoryAnswerCache({ maxBytes: bytesOf('large', 'x'.repeat(5_000)) })
    for (let at = 0; at < 5; at++) await cache.put(String(at), aStoredAnswer(String(at)))
    await cache.put('large', aStoredAnswer('large', { body: 'x'.repeat(5_000) }))
    expect(await cache.get('large')).not.toBeNull()
    for (let at = 0; at < 5; at++) expect(await cache.get(String(at))).toBeNull()
  })

  it('does not store an answer larger than its size, nor keep the earlier one', async () => {
    const cache = createMemoryAnswerCache({ maxBytes: bytesOf('key', 'short') })
    await cache.put('key', aStoredAnswer('key', { body: 'short' }))
    await cache.put('key', aStoredAnswer('key', { body: 'longer than that' }))
    expect(await cache.get('key')).toBeNull()
    await cache.put('key', aStoredAnswer('key', { body: 'short' }))
    // Nor does it make room for it.
    await cache.put('too large', aStoredAnswer('too large', { body: 'longer than that' }))
    expect(await cache.get('key')).not.toBeNull()
  })

  it('frees room when answers are replaced or deleted', async () => {
    const cache = createMemoryAnswerCache({ maxBytes: 2 * bytesOf('a', 'short') })
    for (let at = 0; at < 50; at++) await cache.put('a', aStoredAnswer('a', { body: 'short' }))
    await cache.put('b', aStoredAnswer('b', { body: 'short' }))
    expect(await cache.get('a')).not.toBeNull()
    await cache.delete('b')
    await cache.delete('b')
    await cache.put('c', aStoredAnswer('c', { body: 'short' }))
    expect(await cache.get('a')).not.toBeNull()
    expect(await cache.get('c')).not.toBeNull()
  })

  it('stores nothing with a size of 0', async () => {
    const cache = createMemoryAnswerCache({ maxBytes: 0 })
    await cache.put('key', aStoredAnswer('key'))
    expect(await cache.get('key')).toBeNull()
  })

  it.each([-1, Number.NaN])('rejects a size of %d bytes', (maxBytes) => {
    expect(() => createMemoryAnswerCache({ maxBytes })).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })
})
