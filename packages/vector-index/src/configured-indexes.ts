import { indexSettings, type IndexSettings } from './settings.ts'
import { isRecord } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'

/** Name of the index when none is configured. */
const DEFAULT_INDEX = 'default'

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/

/**
 * The indexes configured by `VECTOR_INDEXES`, in its order: settings by name, as an object or JSON text. If the
 * variable is not set, one hybrid index called `default`.
 *
 * @throws `config_invalid` with the problem
 */
export function indexesOf({
  VECTOR_INDEXES,
}: {
  readonly VECTOR_INDEXES?: unknown
}): ReadonlyMap<string, IndexSettings> {
  const entries = Object.entries(byIndexIn('VECTOR_INDEXES', VECTOR_INDEXES) ?? { [DEFAULT_INDEX]: {} })
  if (entries.length === 0) throw invalid('VECTOR_INDEXES', 'VECTOR_INDEXES names no index')
  const wrong = entries.find(([name]) => !NAME.test(name))
  if (wrong !== undefined) {
    const message = `VECTOR_INDEXES: the name "${wrong[0]}" must be 1 to 63 of a-z 0-9 -, not beginning with -`
    throw invalid('VECTOR_INDEXES', message)
  }
  return new Map(entries.map(([name, settings]) => [name, indexSettings(name, settings)]))
}

/** Settings of an index; those of a hybrid index for a name that is not configured. */
export function settingsFor(indexes: ReadonlyMap<string, IndexSettings>, name: string): IndexSettings {
  return indexes.get(name) ?? indexSettings(name)
}

/** Parses a variable with values by index name, given as an object or JSON text; `undefined` if it is not set. */
export function byIndexIn(variable: string, given: unknown): Readonly<Record<string, unknown>> | undefined {
  if (given === undefined || given === '') return undefined
  let value = given
  try {
    if (typeof given === 'string') value = JSON.parse(given)
  } catch {
    throw invalid(variable, `${variable} is not valid JSON`)
  }
  if (isRecord(value)) return value
  throw invalid(variable, `${variable} must be an object by index name`)
}

/** The error for an invalid variable. */
export function invalid(variable: string, message: string): RagGateError {
  return new RagGateError('config_invalid', message, { param: variable })
}
