/** Checks of options, each by what its value must be. */
import { isRecord } from '../core/lib/guards.ts'
import { RagGateError } from '../errors.ts'

/** Throws `config_invalid` unless an option has a value that it can have; `option` is its name, as the error says it. */
export type Check = (value: unknown, option: string) => void

/** A check of every option of a group. */
export type Checks<Options> = { readonly [Name in keyof Options]-?: Check }

/** Checked elsewhere, or together with others. */
export const anything: Check = () => undefined

export const string = must('a string', (value) => typeof value === 'string')
export const strings = must('a list of strings', isStrings)
export const callable = must('a function', (value) => typeof value === 'function')

/** A number within bounds, both included. */
export function numberWithin(low: number, high: number): Check {
  return must(`a number from ${low} to ${high}`, (value) => isWithin(value, low, high))
}

/** A whole number within bounds, both included. */
export function wholeWithin(low: number, high: number): Check {
  return must(`a whole number from ${low} to ${high}`, (value) => Number.isInteger(value) && isWithin(value, low, high))
}

/** One of the values that an option can have. */
export function oneOf(...values: readonly unknown[]): Check {
  return must(`one of ${values.join(', ')}`, (value) => values.includes(value))
}

/** An object with no other options than these: an unknown one would be passed over, and somebody may rely on it. */
export function group(checks: Readonly<Record<string, Check>>): Check {
  return (given, name) => {
    if (!isRecord(given)) throw invalid(`${name} must be an object`, name)
    for (const [member, value] of Object.entries(given)) {
      const option = name === '' ? member : `${name}.${member}`
      const check = Object.hasOwn(checks, member) ? checks[member] : undefined
      if (check === undefined) {
        throw invalid(`There is no option ${option}; known are ${Object.keys(checks).join(', ')}`, option)
      }
      if (value !== undefined) check(value, option)
    }
  }
}

export function invalid(message: string, param: string): RagGateError {
  return new RagGateError('config_invalid', message, { param })
}

function must(what: string, holds: (value: unknown) => boolean): Check {
  return (value, option) => {
    if (!holds(value)) throw invalid(`${option} must be ${what}`, option)
  }
}

function isWithin(value: unknown, low: number, high: number): boolean {
  return typeof value === 'number' && value >= low && value <= high
}

function isStrings(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'string')
}
