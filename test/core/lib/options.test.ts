import { describe, expect, it } from 'vitest'
import {
  anything,
  boolean,
  callable,
  deadline,
  flag,
  group,
  list,
  methods,
  number,
  object,
  oneOf,
  type OptionKind,
  type OptionKinds,
  required,
  requireMembers,
  requireOptions,
  string,
  stringOrFunction,
  strings,
  text,
  whole,
  withDefaults,
} from '../../../src/core/lib/options.ts'

interface Options {
  readonly name: string
  readonly retries?: number
  readonly bounds?: { readonly from: number; readonly to?: number }
}

const KINDS: OptionKinds<Options> = {
  name: required(text),
  retries: whole(0, 3),
  bounds: group<NonNullable<Options['bounds']>>({ from: required(number(0)), to: number(0) }),
}

const given = (options: unknown): Options => options as Options

describe('requireOptions', () => {
  it.each([{ name: 'a' }, { name: 'a', retries: undefined }, { name: 'a', retries: 3, bounds: { from: 0 } }])(
    'accepts %j',
    (options) => expect(() => requireOptions(given(options), KINDS)).not.toThrow(),
  )

  it.each<[unknown, string, string]>([
    [undefined, 'options', 'The options must be an object, no promise'],
    [[], 'options', 'The options must be an object, no promise'],
    [Promise.resolve({ name: 'a' }), 'options', 'The options must be an object, no promise'],
    [{ name: 'a', bounds: Promise.resolve({ from: 0 }) }, 'bounds', 'bounds must be an object, no promise'],
    [{}, 'name', 'name must be a string that is not empty'],
    [{ name: null }, 'name', 'name must be a string that is not empty'],
    [{ name: 'a', retries: null }, 'retries', 'retries must be a whole number from 0 to 3'],
    [{ name: 'a', nmae: 1 }, 'nmae', 'There is no option nmae; known are name, retries, bounds'],
    [{ name: 'a', toString: 1 }, 'toString', 'There is no option toString; known are name, retries, bounds'],
    [{ name: 'a', bounds: 5 }, 'bounds', 'bounds must be an object'],
    [{ name: 'a', bounds: {} }, 'bounds.from', 'bounds.from must be a number of 0 and up'],
    [{ name: 'a', bounds: { from: 1, till: 2 } }, 'bounds.till', 'There is no option bounds.till; known are from, to'],
  ])('rejects %j', (options, param, message) =>
    expect(() => requireOptions(given(options), KINDS)).toThrow(
      expect.objectContaining({ code: 'config_invalid', param, message }),
    ),
  )

  it('throws with the given code and names the option below the given prefix', () =>
    expect(() => requireOptions(given({ name: '' }), KINDS, 'policy_invalid', 'cache')).toThrow(
      expect.objectContaining({
        code: 'policy_invalid',
        param: 'cache.name',
        message: 'cache.name must be a string that is not empty',
      }),
    ))

  it('has a type that rejects missing, unknown and wrongly required options at compile time', () => {
    // @ts-expect-error bounds is missing
    const missing: OptionKinds<Options> = { name: required(text), retries: number(0) }
    // @ts-expect-error nothing is called mode
    const unknown: OptionKinds<Options> = { ...KINDS, mode: text }
    // @ts-expect-error name may not be left out
    const optional: OptionKinds<Options> = { ...KINDS, name: text }
    // @ts-expect-error retries may be left out
    const needed: OptionKinds<Options> = { ...KINDS, retries: required(number(0)) }
    expect([missing, unknown, optional, needed]).toHaveLength(4)
  })
})

describe('requireMembers', () => {
  it('allows other members of the application, and names those of a wrong kind', () => {
    expect(() => requireMembers({ id: 'a', others: 1 }, { id: required(text) }, 'collection')).not.toThrow()
    for (const given of [{ id: 1 }, {}, null, undefined, 'a']) {
      expect(() => requireMembers(given, { id: required(text) }, 'collection')).toThrow(
        expect.objectContaining({ code: 'config_invalid', param: 'collection.id' }) as Error,
      )
    }
  })
})

describe('withDefaults', () => {
  it('keeps what is given, also false, empty and 0, and options without a default', () =>
    expect(withDefaults({ name: '', retries: 0, bounds: { from: 1 } } as Options, { retries: 3 })).toEqual({
      name: '',
      retries: 0,
      bounds: { from: 1 },
    }))

  it('uses the defaults for options that are missing or undefined', () => {
    expect(withDefaults(given({ name: 'a', retries: undefined }), { retries: 3 })).toEqual({ name: 'a', retries: 3 })
    expect(withDefaults<Options, { retries: number }>(undefined, { retries: 3 })).toEqual({ retries: 3 })
  })
})

it.each<[OptionKind, string, readonly unknown[], readonly unknown[]]>([
  [string, 'a string', ['', 'a'], [null, 1, ['a']]],
  [text, 'a string that is not empty', ['a'], ['', null, 1]],
  [strings, 'a list of strings', [[], ['a']], ['a', [1], null]],
  [boolean, 'true or false', [true, false], ['true', 1, null]],
  [flag, 'true or left out', [true], [false, 'true', 1, null]],
  [callable, 'a function', [() => 1], [{}, null]],
  [stringOrFunction, 'a string or a function', ['', () => 1], [1, {}, null]],
  [object, 'an object', [{}, new Uint8Array(1)], [null, [], 'a', () => 1]],
  [list, 'a list', [[]], [{ length: 1 }, 'a', null]],
  [anything, 'something', [0, '', false, undefined], [null]],
  [number(0, 1), 'a number from 0 to 1', [0, 1, 0.5], [-0.001, 1.001, NaN, Infinity, '0.5', null, true, [0.5]]],
  [number(1), 'a number of 1 and up', [1, 1.5, 1e9], [0.9, Infinity, NaN]],
  [whole(1, 9), 'a whole number from 1 to 9', [1, 9], [0, 1.5, 10, '1', null]],
  [whole(1), 'a whole number of 1 and up', [1, 1e9], [0, 1.5, Infinity]],
  [deadline, 'a number from 1 to 2000000000', [1, 1.5, 2e9], [0.9, 2 ** 31, NaN, '1']],
  [oneOf('a', 2), 'one of a, 2', ['a', 2], ['2', 'b', null]],
  [methods('get', 'put'), 'an object with get, put', [{ get() {}, put() {} }], [{ get() {} }, null, 'a']],
])('the option kind %j accepts %s', (kind, words, good, bad) => {
  expect(kind.words).toBe(words)
  expect(good.filter((value) => !kind.holds(value))).toEqual([])
  expect(bad.filter((value) => kind.holds(value))).toEqual([])
})

describe('an option kind', () => {
  it('of a number describes its bounds and keeps to them', () => {
    expect([number(0, 1).words, number(2).words]).toEqual(['a number from 0 to 1', 'a number of 2 and up'])
    const holds = [-0.1, 0, 0.5, 1, 1.1, NaN, '0.5', null].map(number(0, 1).holds)
    expect(holds).toEqual([false, true, true, true, false, false, false, false])
    expect([1.9, 2, Number.MAX_VALUE, Infinity].map(number(2).holds)).toEqual([false, true, true, false])
  })

  it('that is required rejects undefined', () => {
    expect(required(number(0))).toMatchObject({ words: 'a number of 0 and up', isRequired: true })
    expect(() => requireOptions<{ a: unknown }>({ a: undefined }, { a: required(anything) as never })).toThrow(
      'a must be something',
    )
    expect(() => requireOptions<object>({ a: 1 }, {})).toThrow('There is no option a; known are none')
  })
})
