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

/** `rename-namespace`: gives a namespace another name; where that is taken, only with `deleteExisting`. */
export function renameNamespace(
  { settings, store }: EmbeddedIndex,
  { body }: CommandRequest,
): { readonly renamed: boolean } {
  const fields = field.object(body)
  const from = field.namespace(fields['namespace'], 'namespace')
  const to = field.namespace(fields['newNamespace'], 'newNamespace')
  const replaces = field.flag(fields['deleteExisting'], 'deleteExisting')
  if (from === '') throw notTheDefault('renamed')
  if (to === '' && replaces) throw notTheDefault('deleted')
  if (!store.hasNamespace(from)) throw unknownNamespace(from, settings.name)
  if (from === to || (store.hasNamespace(to) && !replaces)) return { renamed: false }
  store.renameNamespace(from, to)
  return { renamed: true }
}

function notTheDefault(done: string): ProtocolError {
  return invalid(`The default namespace, which is the empty string "", cannot be ${done}.`)
}

function unknownNamespace(namespace: string, index: string): ProtocolError {
  return new ProtocolError(404, `Namespace ${namespace} for the index ${index} does not exist`)
}
