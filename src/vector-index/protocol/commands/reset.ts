import type { EmbeddedIndex } from '../embedded-index.ts'
import type { CommandRequest } from './command.ts'

const ALL = /^all(?:=(?:true|1)?)?$/i

/** `reset`: empties a namespace, or all of them with `?all`, and keeps them. */
export function reset({ store }: EmbeddedIndex, { namespace, search }: CommandRequest): 'Success' {
  if (search.split('&').some((parameter) => ALL.test(parameter))) store.resetAll()
  else store.reset(namespace)
  return 'Success'
}
