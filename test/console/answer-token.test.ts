import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createAnswerTokens } from '../../packages/console/src/feedback/answer-token.ts'

const tokens = createAnswerTokens('a-secret-of-thirty-two-characters-and-more')
const EVENT = '0199c0de-1234-7abc-8def-0123456789ab'

describe('an answer token', () => {
  it('is accepted for the tenant that it was made for, and no other', async () => {
    const token = await tokens.sign('acme', EVENT)
    expect(await tokens.read('acme', token)).toBe(EVENT)
    expect(await tokens.read('other', token)).toBeUndefined()
    const others = createAnswerTokens('another-secret-of-thirty-two-characters')
    expect(await others.read('acme', token)).toBeUndefined()
  })

  it('is rejected once any character was changed', async () => {
    const token = await tokens.sign('acme', EVENT)
    for (let at = 0; at < token.length; at++) {
      const changed = `${token.slice(0, at)}${token[at] === 'a' ? 'b' : 'a'}${token.slice(at + 1)}`
      expect(await tokens.read('acme', changed), changed).toBeUndefined()
    }
    for (const wrong of ['', EVENT, `${EVENT}.`, `${token}0`, ` ${token}`, token.toUpperCase(), 'x'.repeat(10_000)]) {
      expect(await tokens.read('acme', wrong), wrong).toBeUndefined()
    }
  })

  it('signed with the former secret is accepted, and new ones are signed with the present one', async () => {
    const before = 'the-secret-before-of-thirty-two-characters'
    const present = createAnswerTokens('a-secret-of-thirty-two-characters-and-more', before)
    const token = await createAnswerTokens(before).sign('acme', EVENT)
    expect(await present.read('acme', token)).toBe(EVENT)
    expect(await present.read('other', token)).toBeUndefined()
    expect(await tokens.read('acme', token)).toBeUndefined()
    expect(await present.sign('acme', EVENT)).toBe(await tokens.sign('acme', EVENT))
    expect(() => createAnswerTokens('a-secret-of-thirty-two-characters-and-more', 'short')).toThrow('32 characters')
  })

  it('is signed for feedback alone, because its key may have other uses', async () => {
    const key = 'k'.repeat(32)
    const mac = createHmac('sha256', key).update(`15:rag-gate answer4:acme36:${EVENT}`).digest('hex')
    expect(await createAnswerTokens(key).sign('acme', EVENT)).toBe(`${EVENT}.${mac.slice(0, 32)}`)
  })

  it('needs a secret of at least 32 characters', () => {
    for (const key of ['x'.repeat(31), undefined as unknown as string]) {
      expect(() => createAnswerTokens(key)).toThrow(
        expect.objectContaining({
          code: 'secret_too_short',
          message: 'The key for feedback needs 32 characters',
          param: 'key',
        }),
      )
    }
  })
})
