import { describe, expect, test, vi } from 'vitest'
import { namespaceChoice, type NamespaceOptions } from '../../../packages/upstream/src/rows/searched-namespace.ts'

const choice = (options: NamespaceOptions, onSecond = () => undefined as void) => namespaceChoice(options, onSecond)

describe('one namespace for everything', () => {
  test('is the default one where nothing is said, for the tenant of everybody', () => {
    expect(choice({})('default', 'docs')).toBe('')
    expect(choice({ namespace: 'prod docs' })('default', 'docs')).toBe('prod docs')
  })

  test('answers no other tenant, in any order of asking', () => {
    const choose = choice({ namespace: 'docs' })
    for (const tenant of ['acme', 'default', 'globex', 'Default', '']) {
      const asked = () => choose(tenant, 'docs')
      if (tenant === 'default') expect(asked()).toBe('docs')
      else expect(asked).toThrow(expect.objectContaining({ code: 'retriever_misconfigured', param: 'namespace' }))
    }
  })

  test('answers those who are named, or everybody where that is said', () => {
    const named = choice({ namespace: 'docs', tenants: ['acme', 'globex'] })
    expect([named('acme', 'a'), named('globex', 'a')]).toEqual(['docs', 'docs'])
    expect(() => named('default', 'a')).toThrow(/tenants: \[…\] or 'any'/)
    expect(choice({ tenants: 'any' })('anybody', 'a')).toBe('')
  })

  test('is told of a second collection, which finds the same', () => {
    const onSecond = vi.fn<() => void>()
    const choose = choice({}, onSecond)
    choose('default', 'a')
    choose('default', 'a')
    expect(onSecond).not.toHaveBeenCalled()
    choose('default', 'b')
    expect(onSecond).toHaveBeenCalledOnce()
  })
})

describe('a namespace by tenant and collection', () => {
  test('is what the function says', () => {
    expect(choice({ namespace: (tenant, collection) => `${tenant}:${collection}` })('acme', 'docs')).toBe('acme:docs')
  })

  test('that is no text is refused, not searched as the default one', () => {
    const choose = choice({ namespace: (() => undefined) as unknown as () => string })
    expect(() => choose('acme', 'docs')).toThrow(expect.objectContaining({ code: 'retriever_misconfigured' }))
  })
})

test('a list of tenants beside a function makes no sense', () => {
  expect(() => choice({ namespace: () => 'x', tenants: 'any' })).toThrow(
    expect.objectContaining({ code: 'config_invalid', param: 'tenants' }),
  )
})
