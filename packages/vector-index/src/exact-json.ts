/** JSON with exact integers of any size: beyond 2^53 they are bigints. */

/** A JSON value. A bigint is an integer beyond ±2^53. */
export type ExactJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson }

/** Third argument of a reviver, in engines that support it. @see https://tc39.es/proposal-json-parse-with-source/ */
interface Context {
  readonly source?: string
}

type Reviver = (this: unknown, key: string, value: unknown, context?: Context) => unknown

// TypeScript's types do not have the third parameter yet.
const parse = JSON.parse as (text: string, reviver?: Reviver) => unknown

// Nor this function.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (this: void, text: string) => unknown }

/**
 * A member or element of sixteen digits or more without a decimal point or exponent. Within a string it costs time and
 * memory; ids of digits alone do not match.
 */
const LARGE_WHOLE = /(?<![^\s[,:])-?\d{16,}(?![^\s,\]}])/

const WHOLE = /^-?\d+$/

/**
 * Parses JSON. Texts without large integers are parsed at the engine's full speed.
 *
 * @throws `SyntaxError` if it is invalid
 */
export function parseJson(text: string): unknown {
  return LARGE_WHOLE.test(text) ? parse(text, exactly) : parse(text)
}

/** Serialises what `parseJson` returns. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(String(member)) : member,
  )
}

function exactly(this: unknown, _key: string, value: unknown, context?: Context): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source
  return source !== undefined && WHOLE.test(source) ? BigInt(source) : value
}
