import { RagGateError } from '../errors.ts'

/** Checks a bound that an option sets. @throws `config_invalid` unless the value is finite, `least` and up */
export function requireAtLeast(least: number, param: string, value: number): void {
  if (!(value >= least) || value === Infinity) {
    throw new RagGateError('config_invalid', `${param} must be a number of ${least} and up`, { param })
  }
}
