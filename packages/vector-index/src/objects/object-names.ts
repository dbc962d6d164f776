/** Which object of an index answers a command: one that knows its namespaces, or the one that holds a namespace. */
import { base32, sha256, utf8 } from 'hono-rag-gate/core/lib'
import * as field from '../protocol/fields.ts'

/** Characters of a key: 130 bits. */
const KEY_LENGTH = 26

/** Commands that concern the whole index, or do not say which namespace they concern. */
const INDEX_WIDE: ReadonlySet<string> = new Set([
  'info',
  'list-namespaces',
  'delete-namespace',
  'resumable-query-next',
  'resumable-query-end',
])

/** A command as its URL names it. */
export interface RoutedCommand {
  readonly command: string
  /** Decoded; `''` is the default one, also where none is named. */
  readonly namespace: string
  /** Whether the object of the index answers. */
  readonly isIndexWide: boolean
}

/** The parts of a URL that name a command. */
type CommandUrl = Pick<URL, 'pathname' | 'search'>

/**
 * Reads the URL of a command.
 *
 * @throws `ProtocolError` for a namespace that cannot be
 */
export function routeOf({ pathname, search }: CommandUrl): RoutedCommand {
  const [command = '', ...rest] = pathname.slice(1).split('/')
  const all = /[?&]all(?:=(?:true|1)?)?(?:&|$)/i.test(search)
  const isIndexWide = INDEX_WIDE.has(command) || (command === 'reset' && all)
  return { command, namespace: field.namespace(decoded(rest.join('/'))), isIndexWide }
}

/** Name of the object that a request is best sent to. The object of the index hands on what is another's. */
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

/** What an object is, by its name. */
export function roleOf(name: string): { readonly index: string; readonly key?: string } {
  const [index = '', key] = name.split('/')
  return key === undefined ? { index } : { index, key }
}

/** Key of the object that goes on with a resumable query: its name ends in it. `undefined` when it says none. */
export function keyInResumableName(name: string): string | undefined {
  return /\.([a-z2-7]{26})$/.exec(name)?.[1]
}

/** The client does not encode namespaces, so what cannot be decoded stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
