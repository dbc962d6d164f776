import { RagGateError } from 'hono-rag-gate/errors'

/**
 * @param others what a body has beside the members that it may have
 * @param members their names, with commas
 * @throws `unknown_field` unless there is nothing else
 */
export function checkMembers(others: object, members: string): void {
  if (Object.keys(others).length > 0) {
    throw new RagGateError('unknown_field', `The body may have only these members: ${members}`)
  }
}
