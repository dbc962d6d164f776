import { createHmac } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { lengthPrefixed } from '../../src/core/lib/canonical.ts'
import { questionHmac } from '../../src/pipeline/question-hmac.ts'

const KEY = 'a-secret-of-thirty-two-characters-and-more'
const DAY_MS = 86_400_000

function hashAt(nowMs: number, given: object = {}) {
  const hash = questionHmac({ key: KEY, keyId: '2', ...given })
  return (tenant: string, question: string) => hash(tenant, question, nowMs)
}

describe('questionHmac', () => {
  it('is HMAC-SHA-256 under a key derived by HMAC-SHA-256', async () => {
    const { hmac, keyId } = await hashAt(180 * DAY_MS)('acme', 'why')
    const derived = createHmac('sha256', KEY)
      .update(lengthPrefixed(['rag-gate question', '2', '2', 'acme']))
      .digest()
    expect(hmac).toBe(createHmac('sha256', derived).update('why').digest('hex').slice(0, 32))
    expect(keyId).toBe('2.2')
  })

  it('is equal for equal questions of a tenant within a period, and only for those', async () => {
    const hash = hashAt(0)
    expect(await hash('acme', 'why')).toEqual(await hashAt(89 * DAY_MS)('acme', 'why'))
    const all = await Promise.all([
      hash('acme', 'why'),
      hash('acme', 'why not'),
      hash('other', 'why'),
      hashAt(90 * DAY_MS)('acme', 'why'),
      hashAt(0, { key: `${KEY}!` })('acme', 'why'),
      hashAt(0, { keyId: '3' })('acme', 'why'),
    ])
    expect(new Set(all.map(({ hmac }) => hmac)).size).toBe(6)
  })

  it('has other keys in the next period, also in a process that ran through both', async () => {
    const hash = questionHmac({ key: KEY, keyId: '2', rotateAfterDays: 1 })
    const [today, tomorrow] = [await hash('acme', 'why', 0), await hash('acme', 'why', DAY_MS)]
    expect([today.keyId, tomorrow.keyId]).toEqual(['2.0', '2.1'])
    expect(today.hmac).not.toBe(tomorrow.hmac)
    expect(await hash('acme', 'why', DAY_MS - 1)).toEqual(today)
  })

  it('derives the key of a tenant once, and no key can be read out again', async () => {
    const made = vi.spyOn(crypto.subtle, 'importKey')
    onTestFinished(() => made.mockRestore())
    const hash = hashAt(0)
    await hash('acme', 'why')
    await hash('acme', 'why not')
    expect(made.mock.calls.map(([, , , isExtractable]) => isExtractable)).toEqual([false, false])
  })

  it('caches the keys of a bounded number of tenants, and stays correct beyond it', async () => {
    const hash = hashAt(0)
    const first = await hash('tenant-0', 'why')
    for (let at = 1; at < 600; at++) await hash(`tenant-${at}`, 'why')
    expect(await hash('tenant-0', 'why')).toEqual(first)
  })

  it("returns the question text only with text: 'kept'", async () => {
    expect(await hashAt(0, { text: 'kept' })('acme', 'why')).toMatchObject({ text: 'why' })
    expect(await hashAt(0)('acme', 'why')).not.toHaveProperty('text')
  })

  it('takes a secret of 32 characters, and text: dropped', async () => {
    const hash = hashAt(0, { key: 'x'.repeat(32), text: 'dropped' })
    expect(await hash('acme', 'why')).not.toHaveProperty('text')
  })

  it('rejects a short secret and a rotation period under a day', () => {
    expect(() => hashAt(0, { key: 'x'.repeat(31) })).toThrow(
      expect.objectContaining({
        code: 'secret_too_short',
        param: 'key',
        message: 'The key for questions needs 32 characters',
      }),
    )
    expect(() => hashAt(0, { text: '' })).toThrow('text')
    expect(() => hashAt(0, { rotateAfterDays: 0 })).toThrow('rotateAfterDays')
    expect(() => hashAt(0, { rotateAfterDays: Number.NaN })).toThrow('rotateAfterDays')
  })
})
