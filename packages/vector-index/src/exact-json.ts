/** JSON whose whole numbers stay exact, however large: beyond 2^53 they are bigints. */

/** A JSON value. A bigint is a whole number beyond 2^53, either way. */
export type ExactJson =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson }

/** What a reviver is told, in engines that tell it. @see https://tc39.es/proposal-json-parse-with-source/ */
interface Context {
  readonly source?: string
}

type Reviver = (this: unknown, key: string, value: unknown, context?: Context) => unknown

// The types of the language do not have the third parameter yet.
const parse = JSON.parse as (text: string, reviver?: Reviver) => unknown

// Nor do they have this.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (this: void, text: string) => unknown }

/** Sixteen digits with neither a point nor an exponent beside them. In a string they do no harm. */
const LARGE_WHOLE = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/

const WHOLE = /^-?\d+$/

/**
 * Reads JSON. What has no large number is read at the engine's own speed.
 *
 * @throws `SyntaxError` when it is none
 */
export function parseJson(text: string): unknown {
  return LARGE_WHOLE.test(text) ? parse(text, exactly) : parse(text)
}

/** Writes what `parseJson` reads. */
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
