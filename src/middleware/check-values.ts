/** Checks of single options. Each names the option that is wrong. */
import { isRecord } from '../core/lib/guards.ts'
import { RagGateError } from '../errors.ts'

/** An unknown option would be passed over, and somebody may rely on it. */
export function requireKnown(group: string, given: unknown, names: readonly string[]): void {
  if (!isRecord(given)) throw invalid(`${group} must be an object`, group)
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown === undefined) return
  const option = group === '' ? unknown : `${group}.${unknown}`
  throw invalid(`There is no option ${option}; known are ${names.join(', ')}`, option)
}

export function isWithin(value: unknown, low: number, high: number): boolean {
  return typeof value === 'number' && value >= low && value <= high
}

export function isStrings(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'string')
}

export function requireWhole(option: string, value: number, low: number, high: number): void {
  if (Number.isInteger(value) && isWithin(value, low, high)) return
  throw invalid(`${option} must be a whole number from ${low} to ${high}`, option)
}

export function requireString(option: string, value: string): void {
  if (typeof value !== 'string') throw invalid(`${option} must be a string`, option)
}

export function requireStrings(option: string, values: readonly string[]): void {
  if (!isStrings(values)) throw invalid(`${option} must be a list of strings`, option)
}

export function requireOptionalFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') throw invalid(`${option} must be a function`, option)
}

/** Refuses what is none of the values that an option can have. */
export function requireOneOf<Value>(option: string, value: Value, allowed: readonly Value[]): void {
  if (!allowed.includes(value)) throw invalid(`${option} must be one of ${allowed.join(', ')}`, option)
}

export function invalid(message: string, param: string): RagGateError {
  return new RagGateError('config_invalid', message, { param })
}
