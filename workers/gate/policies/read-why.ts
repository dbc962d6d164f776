import { WorkerError } from '../errors.ts'

const MAX_CHARACTERS = 1_000

/** Why something is done, one line for the record; empty where none is given. @throws `why` */
export function readWhy(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' && value.length <= MAX_CHARACTERS && !/[\p{Cc}\p{Surrogate}]/u.test(value)) return value
  throw new WorkerError('why', `why must be one line of at most ${MAX_CHARACTERS} characters`, { param: 'why' })
}
