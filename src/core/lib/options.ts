/** What the makers of this package are given, checked once, when they are called. */
import { RagGateError } from '../../errors.ts'
import { isRecord } from './guards.ts'

/** What an option must be, in words; a list is one of its texts. `no null` is left to whoever reads it. */
export type OptionKind =
  | 'a text'
  | 'any text'
  | 'true or false'
  | 'a number of 0 and up'
  | 'a whole number of 1 and up'
  | 'a function'
  | 'an object'
  | 'an object or a function'
  | 'a list'
  | 'given'
  | 'no null'
  | readonly string[]

type Needed<Options> = { [Name in keyof Options]-?: {} extends Pick<Options, Name> ? never : Name }[keyof Options]

/** What a maker needs. */
export type NeededOptions<Options> = { readonly [Name in Needed<Options>]: OptionKind }

/** What it takes beside. */
export type FurtherOptions<Options> = { readonly [Name in Exclude<keyof Options, Needed<Options>>]-?: OptionKind }

/**
 * Refuses options that are none, that nobody knows, that are missing, or that are of another kind.
 *
 * @throws `code`, with the option at fault
 */
export function requireOptions<Options>(
  options: Options,
  needs: NeededOptions<Options>,
  takes: FurtherOptions<Options>,
  code: 'config_invalid' | 'policy_invalid' = 'config_invalid',
): void {
  const refuse = (message: string, param: string): never => {
    throw new RagGateError(code, message, { param })
  }
  if (!isRecord(options)) return refuse('The options must be an object', 'options')
  const known: Readonly<Record<string, OptionKind>> = { ...takes, ...needs }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(known, name)) {
      refuse(`There is no option ${name}; known are ${Object.keys(known).join(', ') || 'none'}`, name)
    }
  }
  for (const [name, kind] of Object.entries(known)) {
    const value = options[name]
    if ((value === undefined && !Object.hasOwn(needs, name)) || isOf(kind, value)) continue
    refuse(`${name} must be ${typeof kind === 'string' ? kind : kind.join(' or ')}`, name)
  }
}

function isOf(kind: OptionKind, value: unknown): boolean {
  switch (kind) {
    case 'a text':
      return typeof value === 'string' && value !== ''
    case 'any text':
      return typeof value === 'string'
    case 'true or false':
      return typeof value === 'boolean'
    case 'a number of 0 and up':
      return typeof value === 'number' && value >= 0
    case 'a whole number of 1 and up':
      return Number.isInteger(value) && Number(value) >= 1
    case 'a function':
      return typeof value === 'function'
    case 'an object':
      return typeof value === 'object' && value !== null
    case 'an object or a function':
      return isRecord(value) || typeof value === 'function'
    case 'a list':
      return Array.isArray(value)
    case 'given':
      return value !== undefined
    case 'no null':
      return value !== null
    default:
      return kind.includes(value as string)
  }
}
