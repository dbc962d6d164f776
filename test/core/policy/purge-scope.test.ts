import { describe, expect, it } from 'vitest'
import { type PurgeScope, purgeScopeText, scopesOfAnswer, tenantOfScope } from '../../../src/core/policy/purge-scope.ts'

const SCOPES: readonly PurgeScope[] = [
  { kind: 'everything' },
  { kind: 'tenant', tenant: 't' },
  { kind: 'tenant', tenant: 't1:c' },
  { kind: 'collection', tenant: 't', collection: 'c' },
  { kind: 'collection', tenant: 'tc', collection: '' },
  { kind: 'document', tenant: 't', collection: 'c', documentId: 'd' },
  { kind: 'document', tenant: 't', collection: 'cd', documentId: '' },
  { kind: 'question', tenant: 't', collection: 'c', question: 'd' },
  { kind: 'question', tenant: 't', collection: 'c', question: 'e' },
  { kind: 'answer', tenant: 't', decisionId: 'c' },
]

describe('purgeScopeText', () => {
  it('differs for every scope, and contains no question text', () => {
    expect(new Set(SCOPES.map(purgeScopeText)).size).toBe(SCOPES.length)
    const asked = purgeScopeText({ kind: 'question', tenant: 't', collection: 'c', question: 'How is Ann Perkins?' })
    expect(asked).toMatch(/^8:question1:t1:c32:[a-z2-7]{32}$/)
    expect(purgeScopeText({ kind: 'everything' })).toBe('10:everything')
    expect(purgeScopeText({ kind: 'answer', tenant: 't', decisionId: 'c' })).toBe('6:answer1:t1:c')
  })
})

describe('a scope of no kind', () => {
  it('is an error', () => {
    expect(() => purgeScopeText({ tenant: 't', collection: 'c' } as PurgeScope)).toThrow(/one of the kinds/)
  })
})

describe('tenantOfScope', () => {
  it('returns the tenant of the scope, and an empty string for everything', () => {
    expect(SCOPES.map(tenantOfScope)).toEqual(['', 't', 't1:c', 't', 'tc', 't', 't', 't', 't', 't'])
  })
})

describe('scopesOfAnswer', () => {
  it('lists every scope whose purge removes the answer, except that of its question', () => {
    const decision = { id: 'i', tenant: 't', collection: 'c', documentIds: ['d', 'e'] }
    expect(scopesOfAnswer(decision)).toEqual([
      { kind: 'everything' },
      { kind: 'tenant', tenant: 't' },
      { kind: 'collection', tenant: 't', collection: 'c' },
      { kind: 'answer', tenant: 't', decisionId: 'i' },
      { kind: 'document', tenant: 't', collection: 'c', documentId: 'd' },
      { kind: 'document', tenant: 't', collection: 'c', documentId: 'e' },
    ])
  })
})
