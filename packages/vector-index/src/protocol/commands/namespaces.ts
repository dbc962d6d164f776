import type { EmbeddedIndex } from '../embedded-index.ts'
import * as field from '../fields.ts'
import { invalid, ProtocolError } from '../../protocol-error.ts'
import type { CommandRequest } from './command.ts'

/** `list-namespaces`: their names, the default one first. */
export function listNamespaces({ store }: EmbeddedIndex): readonly string[] {
  return store.namespaces().map(({ name }) => name)
}

/** `delete-namespace`: removes a namespace with all it holds. */
export function deleteNamespace({ settings, store }: EmbeddedIndex, { namespace }: CommandRequest): 'Success' {
  if (namespace === '') throw notTheDefault('deleted')
  if (!store.deleteNamespace(namespace)) throw unknownNamespace(namespace, settings.name)
  return 'Success'
}

/** What `rename-namespace` is asked. */
export interface Renaming {
  readonly from: string
  readonly to: string
  /** Whether a namespace that has the new name makes place. */
  readonly replaces: boolean
}

/**
 * Reads the body of `rename-namespace`.
 *
 * @throws `ProtocolError` for what is malformed or would lose the default namespace
 */
export function parseRenaming(body: unknown): Renaming {
  const fields = field.object(body)
  const from = field.namespace(fields['namespace'], 'namespace')
  const to = field.namespace(fields['newNamespace'], 'newNamespace')
  const replaces = field.flag(fields['deleteExisting'], 'deleteExisting')
  if (from === '') throw notTheDefault('renamed')
  if (to === '' && replaces) throw notTheDefault('deleted')
  return { from, to, replaces }
}

/** `rename-namespace`: gives a namespace another name; where that is taken, only with `deleteExisting`. */
export function renameNamespace(
  { settings, store }: EmbeddedIndex,
  { body }: CommandRequest,
): { readonly renamed: boolean } {
  const { from, to, replaces } = parseRenaming(body)
  if (!store.hasNamespace(from)) throw unknownNamespace(from, settings.name)
  if (from === to || (store.hasNamespace(to) && !replaces)) return { renamed: false }
  store.renameNamespace(from, to)
  return { renamed: true }
}

/** The error of what cannot be done to the default namespace. */
export function notTheDefault(done: string): ProtocolError {
  return invalid(`The default namespace, which is the empty string "", cannot be ${done}.`)
}

/** The service's words for a namespace that is not there. */
export function unknownNamespace(namespace: string, index: string): ProtocolError {
  return new ProtocolError(404, `Namespace ${namespace} for the index ${index} does not exist`)
}
