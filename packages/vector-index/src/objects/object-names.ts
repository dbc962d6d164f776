/** Which Durable Object of an index serves a command: the directory of namespaces, or a namespace's own. */
import { base32, sha256, utf8 } from 'hono-rag-gate/core/lib'
import * as field from '../protocol/fields.ts'

/** Length of a key, characters: 130 bits. */
const KEY_LENGTH = 26

/** Commands about the whole index, or without a namespace in their URL. */
const INDEX_WIDE: ReadonlySet<string> = new Set([
  'info',
  'list-namespaces',
  'delete-namespace',
  'resumable-query-next',
  'resumable-query-end',
])

/** A command as parsed from its URL. */
export interface RoutedCommand {
  readonly command: string
  /** Decoded; `''` is the default namespace, also if none is named. */
  readonly namespace: string
  /** Whether the directory object serves it. */
  readonly isIndexWide: boolean
}

/** The parts of a URL that identify a command. */
type CommandUrl = Pick<URL, 'pathname' | 'search'>

/**
 * Parses the URL of a command.
 *
 * @throws `ProtocolError` for an invalid namespace
 */
export function routeOf({ pathname, search }: CommandUrl): RoutedCommand {
  const [command = '', ...rest] = pathname.slice(1).split('/')
  const all = /[?&]all(?:=(?:true|1)?)?(?:&|$)/i.test(search)
  const isIndexWide = INDEX_WIDE.has(command) || (command === 'reset' && all)
  return { command, namespace: field.namespace(decoded(rest.join('/'))), isIndexWide }
}

/** Name of the object to send a request to. The directory object forwards what it does not serve. */
export function objectFor(index: string, url: CommandUrl): string {
  try {
    const { namespace, isIndexWide } = routeOf(url)
    return isIndexWide ? index : holderName(index, keyOf(namespace))
  } catch {
    return index
  }
}

/** Key of the object that holds a namespace. */
export function keyOf(namespace: string): string {
  return base32(sha256(utf8(namespace)), KEY_LENGTH)
}

/** Name of the object that holds a namespace. */
export function holderName(index: string, key: string): string {
  return `${index}/${key}`
}

/** The role of an object, by its name. */
export function roleOf(name: string): { readonly index: string; readonly key?: string } {
  const [index = '', key] = name.split('/')
  return key === undefined ? { index } : { index, key }
}

/** Key of the object that holds a resumable query, which is the suffix of its name; `undefined` without one. */
export function keyInResumableName(name: string): string | undefined {
  return /\.([a-z2-7]{26})$/.exec(name)?.[1]
}

/** The client does not encode namespaces, so one that cannot be decoded is used as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
