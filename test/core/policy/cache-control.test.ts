import { describe, expect, it } from 'vitest'
import { cacheDirectives, targetedDirectives } from '../../../src/core/policy/cache-control.ts'

describe('cacheDirectives', () => {
  it.each<[string, Record<string, readonly string[]> | undefined]>([
    ['', {}],
    ['no-store, Max-Age=60', { 'no-store': [''], 'max-age': ['60'] }],
    ['x="a\\"b\\\\", x=c', { x: ['a"b\\', 'c'] }],
    ['x=', undefined],
    ['a b', undefined],
  ])('parses %j into %j', (field, expected) => {
    const found = cacheDirectives(field)
    expect(found && Object.fromEntries(found)).toEqual(expected)
  })
})

describe('targetedDirectives', () => {
  it.each<[string, Record<string, readonly string[]> | undefined]>([
    ['no-store, max-age=60', { 'no-store': [''], 'max-age': ['60'] }],
    ['no-store=?1', { 'no-store': [''] }],
    ['no-store=?0', {}],
    ['no-store, max-age=6, no-store=?0', { 'max-age': ['6'] }],
    ['no-store=?0, no-store', { 'no-store': [''] }],
    ['x="", y=?1; z=?0', { x: ['""'], y: [''] }],
    ['', undefined],
    ['no-store,', undefined],
  ])('parses %j into %j', (field, expected) => {
    const found = targetedDirectives(field)
    expect(found && Object.fromEntries(found)).toEqual(expected)
  })
})
