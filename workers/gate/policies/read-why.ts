import { WorkerError } from '../errors.ts'

const MAX_CHARACTERS = 1_000

/** The reason for an action, one line for the audit trail; empty if not given. @throws `why` */
export function readWhy(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' && value.length <= MAX_CHARACTERS && !/[\p{Cc}\p{Surrogate}]/u.test(value)) return value
  throw new WorkerError('why', `why must be one line of at most ${MAX_CHARACTERS} characters`, { param: 'why' })
}
