/** Which object answers a command. */
import { meansAll } from '../protocol/commands/reset.ts'
import { namespaceOf } from '../protocol/protocol.ts'
import { holderName, keyOf } from './object-names.ts'

/** Commands that concern the whole index, or do not say which namespace they concern. */
const INDEX_WIDE: ReadonlySet<string> = new Set([
  'info',
  'list-namespaces',
  'delete-namespace',
  'rename-namespace',
  'resumable-query-next',
  'resumable-query-end',
])

/** A command as its URL names it. */
export interface RoutedCommand {
  readonly command: string
  /** Decoded; `undefined` where the index itself answers. */
  readonly namespace: string | undefined
  /** Query string without its question mark. */
  readonly search: string
  /** Segments of the path, as they stand in the URL. */
  readonly path: readonly string[]
}

/** The parts of a URL that name a command, as `URL` has them. */
export interface CommandUrl {
  readonly pathname: string
  readonly search: string
}

/**
 * Reads the URL of a command.
 *
 * @throws `ProtocolError` for a namespace that cannot be
 */
export function routeOf({ pathname, search }: CommandUrl): RoutedCommand {
  const path = pathname.slice(1).split('/')
  const [command = '', ...rest] = path
  const query = search.slice(1)
  const indexWide = INDEX_WIDE.has(command) || (command === 'reset' && meansAll(query))
  return { command, namespace: indexWide ? undefined : namespaceOf(rest), search: query, path }
}

/** Name of the object that a request is best sent to. Any object of the index hands on what is another's. */
export function objectFor(index: string, url: CommandUrl): string {
  try {
    const { namespace } = routeOf(url)
    return namespace === undefined ? index : holderName(index, keyOf(namespace))
  } catch {
    return index
  }
}
