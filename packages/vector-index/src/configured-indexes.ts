import { indexSettings, type IndexSettings } from './settings.ts'
import { RagGateError } from 'hono-rag-gate/errors'

/** Name of the index when none is configured. */
const DEFAULT_INDEX = 'default'

const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/

/**
 * Indexes that `VECTOR_INDEXES` names, in its order: an object of settings by name, as JSON text or as it is. One hybrid
 * index called `default` when the variable is not set.
 *
 * @throws `config_invalid` with what is wrong
 */
export function indexesOf({
  VECTOR_INDEXES,
}: {
  readonly VECTOR_INDEXES?: unknown
}): ReadonlyMap<string, IndexSettings> {
  const given = VECTOR_INDEXES === undefined || VECTOR_INDEXES === '' ? { [DEFAULT_INDEX]: {} } : parsed(VECTOR_INDEXES)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid('VECTOR_INDEXES must be an object of settings by index name')
  }
  const entries = Object.entries(given)
  if (entries.length === 0) throw invalid('VECTOR_INDEXES names no index')
  return new Map(
    entries.map(([name, settings]) => {
      if (!NAME.test(name)) {
        throw invalid(`VECTOR_INDEXES: the name "${name}" must be 1 to 63 of a-z 0-9 -, not beginning with -`)
      }
      return [name, indexSettings(name, settings)]
    }),
  )
}

/** Settings of an index; those of a hybrid one for a name that is not configured. */
export function settingsFor(indexes: ReadonlyMap<string, IndexSettings>, name: string): IndexSettings {
  return indexes.get(name) ?? indexSettings(name)
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    throw invalid('VECTOR_INDEXES is not valid JSON')
  }
}

function invalid(message: string): RagGateError {
  return new RagGateError('config_invalid', message, { param: 'VECTOR_INDEXES' })
}
