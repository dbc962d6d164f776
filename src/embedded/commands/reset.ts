import type { EmbeddedIndex } from '../embedded-index.ts'
import type { CommandRequest } from './command.ts'

/** `reset`: empties a namespace, or all of them with `?all`, and keeps them. */
export function reset({ store }: EmbeddedIndex, { namespace, search }: CommandRequest): 'Success' {
  if (search.split('&').some((parameter) => /^all(=|$)/.test(parameter))) store.resetAll()
  else store.reset(namespace)
  return 'Success'
}
