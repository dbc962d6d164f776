import type { EmbeddedIndex } from '../embedded-index.ts'
import type { CommandRequest } from './command.ts'

/** Whether a query string asks for all namespaces. */
export function meansAll(search: string): boolean {
  return search.split('&').some((parameter) => ALL.test(parameter))
}

const ALL = /^all(?:=(?:true|1)?)?$/i

/** `reset`: empties a namespace, or all of them with `?all`, and keeps them. */
export function reset({ store }: EmbeddedIndex, { namespace, search }: CommandRequest): 'Success' {
  if (meansAll(search)) store.resetAll()
  else store.reset(namespace)
  return 'Success'
}
