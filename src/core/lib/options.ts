/** What the makers of this package are given, checked once, when they are called. */
import { RagGateError } from '../../errors.ts'
import { isRecord } from './guards.ts'

/** What an option may be: `number` from 0 up, `count` whole and from 1 up, a list of texts one of them. */
export type OptionKind = keyof typeof KINDS | readonly string[]

type Needed<Options> = { [Name in keyof Options]-?: {} extends Pick<Options, Name> ? never : Name }[keyof Options]

/** What a maker needs. */
export type NeededOptions<Options> = { readonly [Name in Needed<Options>]: OptionKind }

/** What it takes beside. */
export type FurtherOptions<Options> = { readonly [Name in Exclude<keyof Options, Needed<Options>>]-?: OptionKind }

const KINDS = {
  text: ['a text', (value: unknown) => typeof value === 'string' && value !== ''],
  string: ['a text, which may be empty', (value: unknown) => typeof value === 'string'],
  boolean: ['true or false', (value: unknown) => typeof value === 'boolean'],
  number: ['a number of 0 and up', (value: unknown) => typeof value === 'number' && value >= 0],
  count: ['a whole number of 1 and up', (value: unknown) => Number.isInteger(value) && (value as number) >= 1],
  function: ['a function', (value: unknown) => typeof value === 'function'],
  object: ['an object', (value: unknown) => typeof value === 'object' && value !== null],
  part: ['an object or a function', (value: unknown) => isRecord(value) || typeof value === 'function'],
  list: ['a list', Array.isArray],
  // Checked by whoever reads it.
  given: ['given', (value: unknown) => value !== undefined],
  set: ['set, or left out', (value: unknown) => value !== null],
} as const satisfies Readonly<Record<string, readonly [what: string, is: (value: unknown) => boolean]>>

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
  if (!isRecord(options)) throw new RagGateError(code, 'The options must be an object', { param: 'options' })
  const known: Readonly<Record<string, OptionKind>> = { ...takes, ...needs }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined) {
    const names = Object.keys(known).join(', ') || 'none'
    throw new RagGateError(code, `There is no option ${unknown}; known are ${names}`, { param: unknown })
  }
  for (const [param, kind] of Object.entries(known)) {
    const value = options[param]
    if (value === undefined && !Object.hasOwn(needs, param)) continue
    const [what, is] =
      typeof kind === 'string' ? KINDS[kind] : [kind.join(' or '), (each: unknown) => kind.includes(each as string)]
    if (!is(value)) throw new RagGateError(code, `${param} must be ${what}`, { param })
  }
}
