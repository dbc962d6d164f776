import { describe, expect, test, vi } from 'vitest'
import { namespaceChoice, type NamespaceOptions } from '../../../packages/upstream/src/rows/searched-namespace.ts'

const choice = (options: NamespaceOptions, onSecond = () => undefined as void) => namespaceChoice(options, onSecond)

describe('one namespace for everything', () => {
  test('is the default namespace unless configured, for the default tenant', () => {
    expect(choice({})('default', 'docs')).toBe('')
    expect(choice({ namespace: 'prod docs' })('default', 'docs')).toBe('prod docs')
  })

  test('answers no other tenant, whatever the order of requests', () => {
    const choose = choice({ namespace: 'docs' })
    for (const tenant of ['acme', 'default', 'globex', 'Default', '']) {
      const asked = () => choose(tenant, 'docs')
      if (tenant === 'default') expect(asked()).toBe('docs')
      else expect(asked).toThrow(expect.objectContaining({ code: 'retriever_misconfigured', param: 'namespace' }))
    }
  })

  test('answers the tenants named in the options, or any', () => {
    const named = choice({ namespace: 'docs', tenants: ['acme', 'globex'] })
    expect([named('acme', 'a'), named('globex', 'a')]).toEqual(['docs', 'docs'])
    expect(() => named('default', 'a')).toThrow(/or set tenants/)
    expect(choice({ tenants: 'any' })('anybody', 'a')).toBe('')
  })

  test('reports a second collection, which finds the same passages', () => {
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
  test('is the result of the function', () => {
    expect(choice({ namespace: (tenant, collection) => `${tenant}:${collection}` })('acme', 'docs')).toBe('acme:docs')
  })

  test('that is not a string is rejected, and not replaced by the default one', () => {
    const choose = choice({ namespace: (() => undefined) as unknown as () => string })
    expect(() => choose('acme', 'docs')).toThrow(
      expect.objectContaining({ code: 'retriever_misconfigured', message: 'namespace must return a string' }),
    )
  })
})

test('tenants beside a namespace function are rejected', () => {
  expect(() => choice({ namespace: () => 'x', tenants: 'any' })).toThrow(
    expect.objectContaining({ code: 'config_invalid', param: 'tenants', message: 'tenants needs one namespace' }),
  )
})
