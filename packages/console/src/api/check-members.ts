import { RagGateError } from 'hono-rag-gate/errors'

/**
 * @param others remaining members of a body
 * @param members names of the allowed members, separated by commas
 * @throws `unknown_field` if there are any others
 */
export function checkMembers(others: object, members: string): void {
  if (Object.keys(others).length > 0) {
    throw new RagGateError('unknown_field', `The body may have only these members: ${members}`)
  }
}
