/**
 * Checks options by a table with the kind of every option. Functions of this package check their options once, when they are
 * called.
 */
import { RagGateError } from '../../errors.ts'
import { defined } from './defined.ts'
import { isRecord } from './guards.ts'

interface Kind {
  /** Description that follows `must be`. */
  readonly words: string
  readonly holds: (value: unknown) => boolean
  /** Kinds of its own members. @default they are not checked */
  readonly options?: KindsByName
}

type KindsByName = Readonly<Record<string, OptionKind | RequiredKind>>

/** Kind of an optional option. */
export interface OptionKind extends Kind {
  readonly isRequired?: false
}

/** Kind of a required option. */
export interface RequiredKind extends Kind {
  readonly isRequired: true
}

/** A kind for each option; required exactly for options that are not optional in the type. */
export type OptionKinds<Options> = {
  readonly [Name in keyof Options]-?: {} extends Pick<Options, Name> ? OptionKind : RequiredKind
}

/** Error code for an invalid option. */
type Code = 'config_invalid' | 'policy_invalid'

/**
 * Rejects options that are not an object, or are unknown, missing or of the wrong kind.
 *
 * @param name name of the options object, if it is nested in others
 * @throws `code`, with the name of the option
 */
export function requireOptions<Options>(
  options: Options,
  kinds: OptionKinds<Options>,
  code: Code = 'config_invalid',
  name = '',
): void {
  const within = name === '' ? '' : `${name}.`
  // A promise would look like an object without members.
  if (!isRecord(options) || 'then' in options) {
    throw wrong(code, `${name || 'The options'} must be an object, no promise`, name || 'options')
  }
  const unknown = Object.keys(options).find((option) => !Object.hasOwn(kinds, option))
  if (unknown !== undefined) {
    const known = Object.keys(kinds).join(', ') || 'none'
    throw wrong(code, `There is no option ${within}${unknown}; known are ${known}`, within + unknown)
  }
  requireEach(options, kinds, code, within)
}

/** Rejects an application's object if a member is of the wrong kind; further members are allowed. @throws `config_invalid` */
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

/** The given options, with defaults for those that are missing or `undefined`. */
export function withDefaults<Options extends object, Defaults extends Partial<Options>>(
  options: Options | undefined,
  defaults: Defaults,
): Omit<Options, keyof Defaults> & Required<Pick<Options, keyof Options & keyof Defaults>> {
  // The cast is safe: each member keeps its name.
  return { ...defaults, ...defined(options ?? {}) } as ReturnType<typeof withDefaults<Options, Defaults>>
}

/** Makes a kind required. */
export function required(kind: OptionKind): RequiredKind {
  return { ...kind, isRequired: true }
}

export const string: OptionKind = { words: 'a string', holds: (value) => typeof value === 'string' }

/** A non-empty string. */
export const text: OptionKind = {
  words: 'a string that is not empty',
  holds: (value) => typeof value === 'string' && value !== '',
}

export const strings: OptionKind = {
  words: 'a list of strings',
  holds: (value) => Array.isArray(value) && value.every(string.holds),
}

/** A non-empty list of strings, or `'any'`. A string is rejected: its `includes` would allow any substring. */
export const stringsOrAny: OptionKind = {
  words: "a list of strings, or 'any'",
  holds: (value) => value === 'any' || (strings.holds(value) && (value as readonly string[]).length > 0),
}

export const boolean: OptionKind = { words: 'true or false', holds: (value) => typeof value === 'boolean' }

/** `true`, or absent. */
export const flag: OptionKind = { words: 'true or left out', holds: (value) => value === true }

export const callable: OptionKind = { words: 'a function', holds: (value) => typeof value === 'function' }

export const stringOrFunction: OptionKind = {
  words: 'a string or a function',
  holds: (value) => string.holds(value) || callable.holds(value),
}

export const object: OptionKind = { words: 'an object', holds: isRecord }

export const list: OptionKind = { words: 'a list', holds: Array.isArray }

/** For values that are checked elsewhere, or together with others. */
export const anything: OptionKind = { words: 'something', holds: (value) => value !== null }

/** A finite number within inclusive bounds. */
export function number(low: number, high = Number.MAX_VALUE): OptionKind {
  return {
    words: `a number ${bounds(low, high)}`,
    holds: (value) => typeof value === 'number' && value >= low && value <= high,
  }
}

/** A whole number within inclusive bounds. */
export function whole(low: number, high = Number.MAX_VALUE): OptionKind {
  const within = number(low, high)
  return { words: `a whole ${within.words.slice(2)}`, holds: (value) => Number.isInteger(value) && within.holds(value) }
}

const bounds = (low: number, high: number): string =>
  high === Number.MAX_VALUE ? `of ${low} and up` : `from ${low} to ${high}`

/** A time to wait, milliseconds: at most 23 days, because a timer of more than 2^31 − 1 ends at once. */
export const deadline: OptionKind = number(1, 2_000_000_000)

/** One of these values. */
export function oneOf(...values: readonly unknown[]): OptionKind {
  return { words: `one of ${values.join(', ')}`, holds: (value) => values.includes(value) }
}

/** An object or a function with these methods. */
export function methods(...names: readonly string[]): OptionKind {
  return {
    words: `an object with ${names.join(', ')}`,
    // `Object` converts primitives, `null` and `undefined` into objects, so that `Reflect.get` does not throw.
    holds: (value) => names.every((name) => typeof Reflect.get(Object(value), name) === 'function'),
  }
}

/** An object with its own options. */
export function group<Options>(options: OptionKinds<Options>): OptionKind {
  return { ...object, options }
}
