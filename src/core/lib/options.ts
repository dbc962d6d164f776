/**
 * What makers of this package are given, checked once, when they are called: a table names every option, and says what it
 * must be.
 */
import { RagGateError } from '../../errors.ts'
import { isRecord } from './guards.ts'

interface Kind {
  /** In words that follow `must be`. */
  readonly words: string
  readonly holds: (value: unknown) => boolean
  /** What its own options must be. @default it is not looked into */
  readonly options?: KindsByName
}

type KindsByName = Readonly<Record<string, OptionKind | RequiredKind>>

/** What an option must be where it is given. */
export interface OptionKind extends Kind {
  readonly isRequired?: false
}

/** What an option must be that may not be left out. */
export interface RequiredKind extends Kind {
  readonly isRequired: true
}

/** A kind for each option: of those that may not be left out, and of no others, a required one. */
export type OptionKinds<Options> = {
  readonly [Name in keyof Options]-?: {} extends Pick<Options, Name> ? OptionKind : RequiredKind
}

/** Whose fault a wrong option is: the wiring's, or the policy's. */
type Code = 'config_invalid' | 'policy_invalid'

/**
 * Refuses options that are none, that are unknown, that are missing, or that are of another kind.
 *
 * @param name what the options themselves are called, where they stand among others
 * @throws `code`, with the option at fault
 */
export function requireOptions<Options>(
  options: Options,
  kinds: OptionKinds<Options>,
  code: Code = 'config_invalid',
  name = '',
): void {
  const within = name === '' ? '' : `${name}.`
  // A promise is an object without a member, as if nothing were set.
  if (!isRecord(options) || 'then' in options) {
    throw wrong(code, `${name || 'The options'} must be an object, not a promise`, name || 'options')
  }
  const unknown = Object.keys(options).find((option) => !Object.hasOwn(kinds, option))
  if (unknown !== undefined) {
    const known = Object.keys(kinds).join(', ') || 'none'
    throw wrong(code, `There is no option ${within}${unknown}; known are ${known}`, within + unknown)
  }
  requireEach(options, kinds, code, within)
}

/** Refuses what an application gave where a member is of another kind; further members are its own. @throws `config_invalid` */
export function requireMembers(given: unknown, kinds: KindsByName, name: string): void {
  requireEach(Object(given), kinds, 'config_invalid', `${name}.`)
}

function requireEach(given: Readonly<Record<string, unknown>>, kinds: KindsByName, code: Code, within: string): void {
  for (const [option, { words, holds, options, isRequired }] of Object.entries(kinds)) {
    const value = given[option]
    const path = within + option
    if (value === undefined && !isRequired) continue
    if (value === undefined || !holds(value)) throw wrong(code, `${path} must be ${words}`, path)
    if (options !== undefined) requireOptions(value, options, code, path)
  }
}

function wrong(code: Code, message: string, param: string): RagGateError {
  return new RagGateError(code, message, { param })
}

/** The options that are given, with the defaults of those that are not, or are `undefined`. */
export function withDefaults<Options extends object, Defaults extends Partial<Options>>(
  options: Options | undefined,
  defaults: Defaults,
): Omit<Options, keyof Defaults> & Required<Pick<Options, keyof Options & keyof Defaults>> {
  const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined)
  // Each member is one of the options, by its own name.
  return { ...defaults, ...Object.fromEntries(given) } as ReturnType<typeof withDefaults<Options, Defaults>>
}

/** A kind of an option that may not be left out. */
export function required(kind: OptionKind): RequiredKind {
  return { ...kind, isRequired: true }
}

export const string: OptionKind = { words: 'a string', holds: (value) => typeof value === 'string' }

/** A string that is not empty. */
export const text: OptionKind = {
  words: 'a string that is not empty',
  holds: (value) => typeof value === 'string' && value !== '',
}

export const strings: OptionKind = {
  words: 'a list of strings',
  holds: (value) => Array.isArray(value) && value.every(string.holds),
}

export const boolean: OptionKind = { words: 'true or false', holds: (value) => typeof value === 'boolean' }

/** A setting that is there or not. */
export const flag: OptionKind = { words: 'true or left out', holds: (value) => value === true }

export const callable: OptionKind = { words: 'a function', holds: (value) => typeof value === 'function' }

export const stringOrFunction: OptionKind = {
  words: 'a string or a function',
  holds: (value) => string.holds(value) || callable.holds(value),
}

export const object: OptionKind = { words: 'an object', holds: isRecord }

export const list: OptionKind = { words: 'a list', holds: Array.isArray }

/** For what is checked elsewhere, or together with others. */
export const anything: OptionKind = { words: 'something', holds: (value) => value !== null }

/** A finite number within bounds, both included. */
export function number(low: number, high = Number.MAX_VALUE): OptionKind {
  return {
    words: `a number ${bounds(low, high)}`,
    holds: (value) => typeof value === 'number' && value >= low && value <= high,
  }
}

/** A whole number within bounds, both included. */
export function whole(low: number, high = Number.MAX_VALUE): OptionKind {
  const within = number(low, high)
  return { words: `a whole ${within.words.slice(2)}`, holds: (value) => Number.isInteger(value) && within.holds(value) }
}

/** A finite number above a bound. */
export function above(low: number, high = Number.MAX_VALUE): OptionKind {
  return {
    words: `a number above ${low}${high === Number.MAX_VALUE ? '' : `, at most ${high}`}`,
    holds: (value) => typeof value === 'number' && value > low && value <= high,
  }
}

const bounds = (low: number, high: number): string =>
  high === Number.MAX_VALUE ? `of ${low} and up` : `from ${low} to ${high}`

/** One of these values. */
export function oneOf(...values: readonly unknown[]): OptionKind {
  return { words: `one of ${values.join(', ')}`, holds: (value) => values.includes(value) }
}

/** An object or a function with these methods. */
export function methods(...names: readonly string[]): OptionKind {
  return {
    words: `an object with ${names.join(', ')}`,
    // `Object` takes a value without members for an object that has none.
    holds: (value) => names.every((name) => typeof Reflect.get(Object(value), name) === 'function'),
  }
}

/** An object with options of its own. */
export function group<Options>(options: OptionKinds<Options>): OptionKind {
  return { ...object, options }
}
